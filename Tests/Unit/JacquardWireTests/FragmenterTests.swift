import JacquardWire
import TestWorld
import Testing

@Suite("Dividing packets into values")
struct FragmenterTests {
  struct Cut: CustomTestStringConvertible {
    let length: Int
    let headers: String
    let lengthPrefix: String
    let payloads: [Int]
    var testDescription: String { "\(length) bytes" }
  }

  static let cuts = [
    Cut(length: 1, headers: "c0", lengthPrefix: "01", payloads: [1]),
    Cut(length: 58, headers: "c0", lengthPrefix: "3a", payloads: [58]),
    Cut(length: 59, headers: "c0", lengthPrefix: "3b", payloads: [59]),
    Cut(length: 60, headers: "80 41", lengthPrefix: "3c", payloads: [59, 1]),
    Cut(length: 118, headers: "80 41", lengthPrefix: "76", payloads: [59, 59]),
    Cut(length: 119, headers: "80 41", lengthPrefix: "77", payloads: [59, 60]),
    Cut(length: 127, headers: "80 01 42", lengthPrefix: "7f", payloads: [59, 60, 8]),
    Cut(length: 128, headers: "80 01 42", lengthPrefix: "80 01", payloads: [58, 60, 10]),
    Cut(length: 187, headers: "80 01 02 43", lengthPrefix: "bb 01", payloads: [58, 60, 60, 9]),
    Cut(
      length: 1024, headers: "80 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 51", lengthPrefix: "80 08",
      payloads: [58] + Array(repeating: 60, count: 16) + [6]),
  ]

  static func packet(_ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: $0) } }

  @Test("headers, length and data are at the positions in the table", arguments: cuts)
  func table(_ cut: Cut) throws {
    let packet = Self.packet(cut.length)
    var rest = packet[...]
    var expected: [[UInt8]] = []
    for (header, count) in zip(hex(cut.headers), cut.payloads) {
      expected.append([header] + (expected.isEmpty ? hex(cut.lengthPrefix) : []) + rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    #expect(rest.isEmpty)
    #expect(try Fragmenter().fragments(of: packet) == expected)
  }

  @Test("an empty packet is divided into no values") func emptyPacket() throws {
    #expect(try Fragmenter().fragments(of: []) == [])
  }

  @Test("a packet over 1024 bytes is refused", arguments: [1025, 4096, 100_000])
  func tooLong(_ length: Int) {
    #expect(throws: PacketTooLong(count: length)) { try Fragmenter().fragments(of: Self.packet(length)) }
  }

  @Test(
    "the capacity follows the MTU within what the protocol allows",
    arguments: zip([Int.min, 0, 22, 23, 24, 50, 64, 65, 517, Int.max], [20, 20, 20, 20, 21, 47, 61, 61, 61, 61]))
  func capacity(mtu: Int, capacity: Int) {
    #expect(Fragmenter(mtu: mtu).capacity == capacity)
  }

  @Test("every packet length can be divided and joined with every capacity", arguments: 20...61)
  func roundTrip(capacity: Int) throws {
    let fragmenter = Fragmenter(capacity: capacity)
    let reassembler = Reassembler()
    for length in 1...1024 {
      let packet = Self.packet(length)
      let values = try fragmenter.fragments(of: packet)
      let fits = values.allSatisfy { $0.count <= capacity }
      let arrived = reassembler.feed(all: values) == .init(packets: [packet], faults: [])
      #expect(fits && arrived, "\(length) bytes")
    }
  }
}
