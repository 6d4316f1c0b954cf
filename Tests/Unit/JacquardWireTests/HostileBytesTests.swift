import JacquardWire
import TestWorld
import Testing

/// Processes a value as a receiver does: joins, decodes and reads the fields.
private final class Receiver {
  let reassembler = Reassembler()
  private(set) var decoded = 0

  func receive(_ value: [UInt8]) {
    for packet in reassembler.feed(value).packets { decode(packet) }
    value.withUnsafeBytes { value in
      _ = SerialNumber(manufacturerData: Array(value))?.manufacturerData
      _ = RawDataPacket(value)?.acknowledgement
    }
  }

  func decode(_ packet: [UInt8]) {
    packet.withUnsafeBytes { bytes in
      _ = (try? WireRequest(packet: bytes))?.packet()
      if let response = try? WireResponse(packet: bytes) {
        decoded += 1
        _ = "\(TagStatus(rawValue: response.status))"
        _ = "\(CollectionStatus(rawValue: response.start.dcStatus))"
      }
      if let notification = try? WireNotification(packet: bytes) {
        decoded += 1
        _ = TouchFrame(notification.data.touchData)
        _ = "\(Gesture(rawValue: notification.data.inferenceData.event)) \(notification.command)"
      }
    }
  }

  /// The next valid packet must always be received.
  func isSound() -> Bool {
    let good = hex("c0 06 08 00 10 01 18 01")
    return reassembler.feed(good).packets == [hex("08 00 10 01 18 01")]
  }
}

@Suite("A receiver handles hostile bytes")
struct HostileBytesTests {
  @Test("every example, truncated after every byte", arguments: Example.all)
  func truncations(_ example: Example) {
    let receiver = Receiver()
    for index in example.fragments.indices {
      for count in 0..<example.fragments[index].count {
        var values = example.fragments
        values[index] = Array(values[index].prefix(count))
        values.forEach(receiver.receive)
        #expect(receiver.isSound())
      }
    }
    for count in 0..<example.packet.count { receiver.decode(Array(example.packet.prefix(count))) }
  }

  @Test("every example, with every bit flipped", arguments: Example.all)
  func bitFlips(_ example: Example) {
    let receiver = Receiver()
    for index in example.fragments.indices {
      for bit in 0..<example.fragments[index].count * 8 {
        var values = example.fragments
        values[index][bit / 8] ^= 1 << (bit % 8)
        values.forEach(receiver.receive)
        #expect(receiver.isSound())
      }
    }
  }

  @Test(
    "every example, with values lost, repeated and swapped", arguments: Example.all.filter { $0.fragments.count > 1 })
  func disorder(_ example: Example) {
    let receiver = Receiver()
    for first in example.fragments.indices {
      for second in example.fragments.indices where second != first {
        var swapped = example.fragments
        swapped.swapAt(first, second)
        #expect(receiver.reassembler.feed(all: swapped).packets.isEmpty)
        #expect(receiver.isSound())
      }
      var lossy = example.fragments
      lossy.remove(at: first)
      #expect(receiver.reassembler.feed(all: lossy).packets.isEmpty)
      #expect(receiver.isSound())
    }
    #expect(receiver.reassembler.feed(all: example.fragments).packets == [example.packet])
  }

  @Test("random values", arguments: 1...8 as ClosedRange<UInt64>)
  func storm(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let receiver = Receiver()
    for round in 0..<5000 {
      let count = Int.random(in: 0...64, using: &random)
      receiver.receive((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
      if round % 100 == 0 { #expect(receiver.isSound()) }
    }
    #expect(receiver.isSound())
  }

  @Test("random packets in valid values", arguments: 1...4 as ClosedRange<UInt64>)
  func packetStorm(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let receiver = Receiver()
    for _ in 0..<2000 {
      // Examples with some bytes overwritten reach more of the decoder than noise does.
      var packet = Example.all.randomElement(using: &random)?.packet ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        packet[Int.random(in: packet.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try Fragmenter(capacity: 20).fragments(of: packet).forEach(receiver.receive)
    }
    #expect(receiver.decoded > 0)
    #expect(receiver.isSound())
  }

  @Test("deeply nested messages are refused") func deepNesting() {
    // Configuration messages nested in each other; the decoder skips unknown fields at any depth.
    var packet: [UInt8] = []
    for _ in 0..<300 { packet = [0x9b, 0x06] + packet + [0x9c, 0x06] }
    Receiver().decode(packet)
    #expect(Receiver().isSound())
  }
}
