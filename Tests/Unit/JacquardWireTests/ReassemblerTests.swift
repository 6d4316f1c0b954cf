import JacquardWire
import TestWorld
import Testing

extension Reassembler {
  /// The result of one value.
  struct Outcome: Equatable {
    var packets: [[UInt8]] = []
    var faults: [FragmentError] = []
  }

  func feed(_ value: [UInt8]) -> Outcome {
    var outcome = Outcome()
    value.withUnsafeBytes { bytes in
      feed(bytes, deliver: { outcome.packets.append(Array($0)) }, report: { outcome.faults.append($0) })
    }
    return outcome
  }

  func feed(all values: [[UInt8]]) -> Outcome {
    values.reduce(into: Outcome()) { outcome, value in
      let one = feed(value)
      outcome.packets += one.packets
      outcome.faults += one.faults
    }
  }
}

@Suite("Joining values into packets")
struct ReassemblerTests {
  typealias Outcome = Reassembler.Outcome

  let reassembler = Reassembler()
  /// A packet of 5 bytes in three values.
  let whole = [hex("80 05 61 62"), hex("01 63"), hex("42 64 65")]
  let packet = Array("abcde".utf8)

  @Test("three values are joined to one packet, delivered with the last one") func threeValues() {
    #expect(reassembler.feed(whole[0]) == Outcome())
    #expect(reassembler.feed(whole[1]) == Outcome())
    #expect(reassembler.feed(whole[2]) == Outcome(packets: [packet]))
  }

  @Test("an empty value changes nothing") func emptyValue() {
    #expect(reassembler.feed([]) == Outcome(faults: [.emptyValue]))
    let outcome = reassembler.feed(all: [whole[0], [], whole[1], whole[2]])
    #expect(outcome == Outcome(packets: [packet], faults: [.emptyValue]))
  }

  @Test("a new packet replaces an incomplete one") func interruption() {
    let outcome = reassembler.feed(all: [whole[0], whole[1]] + whole)
    #expect(outcome == Outcome(packets: [packet], faults: [.interrupted]))
    #expect(
      reassembler.feed(all: [whole[0], hex("c0 01 7a")]) == Outcome(packets: [hex("7a")], faults: [.interrupted]))
    #expect(reassembler.feed(whole[1]) == Outcome(faults: [.orphan]))
  }

  @Test("an invalid new packet replaces an incomplete one too") func brokenInterruption() {
    #expect(reassembler.feed(all: [whole[0], hex("80")]) == Outcome(faults: [.interrupted, .malformedLength]))
    #expect(reassembler.feed(whole[1]) == Outcome(faults: [.orphan]))
  }

  @Test("a later value without a first one is dropped", arguments: ["00 61", "01 61", "40 61", "41 61", "7f", "3f"])
  func orphan(_ value: String) {
    #expect(reassembler.feed(hex(value)) == Outcome(faults: [.orphan]))
    #expect(reassembler.feed(all: whole) == Outcome(packets: [packet]))
  }

  @Test("the first value must have number 0", arguments: ["81 05 61", "c1 01 61", "90 05 61", "ff 01 61"])
  func firstCounter(_ value: String) {
    #expect(reassembler.feed(hex(value)) == Outcome(faults: [.firstCounterNotZero]))
    #expect(reassembler.feed(hex("01 62")) == Outcome(faults: [.orphan]))
  }

  @Test("a lost or repeated value loses its packet, but not the next one", arguments: [0x00, 0x02, 0x03, 0x0f, 0x20])
  func counterMismatch(_ header: UInt8) {
    #expect(reassembler.feed(all: [whole[0], [header, 0x63]]) == Outcome(faults: [.counterMismatch]))
    #expect(reassembler.feed(whole[2]) == Outcome(faults: [.orphan]))
    #expect(reassembler.feed(all: whole) == Outcome(packets: [packet]))
  }

  @Test("a tag may count with four bits or with six", arguments: [UInt8(0x0f), 0x3f])
  func counterWidth(_ mask: UInt8) throws {
    let packet = FragmenterTests.packet(1024)
    var values = try Fragmenter(capacity: 20).fragments(of: packet)
    #expect(values.count == 54)
    for index in values.indices { values[index][0] = values[index][0] & 0xc0 | UInt8(index) & mask }
    #expect(reassembler.feed(all: values) == Outcome(packets: [packet]))
  }

  @Test(
    "the length takes one or two bytes",
    arguments: ["80", "80 80", "80 ff", "80 80 80 01", "80 ff ff ff ff ff", "c0", "c0 85"])
  func malformedLength(_ value: String) {
    #expect(reassembler.feed(hex(value)) == Outcome(faults: [.malformedLength]))
    #expect(reassembler.feed(whole[1]) == Outcome(faults: [.orphan]))
  }

  @Test("a length of two bytes may be small") func longForm() {
    #expect(reassembler.feed(hex("c0 82 00 61 62")) == Outcome(packets: [hex("61 62")]))
  }

  @Test("a packet of length 0 is dropped", arguments: ["c0 00", "80 00", "c0 80 00", "c0 00 61"])
  func emptyPacket(_ value: String) {
    #expect(reassembler.feed(hex(value)) == Outcome(faults: [.emptyPacket]))
    #expect(reassembler.feed(hex("41 61")) == Outcome(faults: [.orphan]))
  }

  @Test(
    "1024 bytes are the limit", arguments: zip(["80 80 08 61", "80 81 08 61", "80 ff 7f 61"], [true, false, false]))
  func limit(value: String, isAccepted: Bool) {
    #expect(reassembler.feed(hex(value)) == Outcome(faults: isAccepted ? [] : [.packetTooLong]))
    #expect(reassembler.feed(hex("01 62")) == Outcome(faults: isAccepted ? [] : [.orphan]))
  }

  @Test("data beyond the announced length is not collected") func tooMuchData() {
    #expect(reassembler.feed(hex("c0 01 61 62")) == Outcome(faults: [.tooMuchData]))
    #expect(reassembler.feed(hex("80 01 61 62")) == Outcome(faults: [.tooMuchData]))
    #expect(reassembler.feed(all: [whole[0], hex("01 63 64 65 66")]) == Outcome(faults: [.tooMuchData]))
    #expect(reassembler.feed(all: [whole[0], whole[1], hex("42 64 65 66")]) == Outcome(faults: [.tooMuchData]))
    #expect(reassembler.feed(all: whole) == Outcome(packets: [packet]))
  }

  @Test("a packet with less data than announced is lost") func tooLittleData() {
    #expect(reassembler.feed(hex("c0 02 61")) == Outcome(faults: [.tooLittleData]))
    #expect(reassembler.feed(all: [whole[0], hex("41 63")]) == Outcome(faults: [.tooLittleData]))
    #expect(reassembler.feed(all: whole) == Outcome(packets: [packet]))
  }

  @Test("a reset discards the incomplete packet") func reset() {
    #expect(reassembler.feed(whole[0]) == Outcome())
    reassembler.reset()
    #expect(reassembler.feed(whole[1]) == Outcome(faults: [.orphan]))
    #expect(reassembler.feed(all: whole) == Outcome(packets: [packet]))
  }

  @Test("the handler of a packet may reset the reassembler and feed it again") func reentrance() {
    var seen: [[UInt8]] = []
    func feed(_ value: [UInt8], then next: @escaping () -> Void) {
      value.withUnsafeBytes { bytes in
        reassembler.feed(
          bytes,
          deliver: { packet in
            next()
            seen.append(Array(packet))
          })
      }
    }
    feed(whole[0]) {}
    feed(whole[1]) {}
    feed(whole[2]) {
      reassembler.reset()
      #expect(reassembler.feed(all: [whole[0], whole[1]]) == Outcome())
    }
    #expect(seen == [packet])
    #expect(reassembler.feed(whole[2]) == Outcome(packets: [packet]))
  }

  @Test("a handler that throws loses only its packet") func throwingHandler() {
    struct Refused: Error {}
    _ = reassembler.feed(all: [whole[0], whole[1]])
    #expect(throws: Refused.self) {
      try whole[2].withUnsafeBytes { try reassembler.feed($0, deliver: { _ in throw Refused() }) }
    }
    #expect(reassembler.feed(all: whole) == Outcome(packets: [packet]))
  }

  @Test("a packet of one value is delivered without a copy") func noCopy() {
    hex("c0 02 61 62").withUnsafeBytes { value in
      var isInPlace = false
      reassembler.feed(value, deliver: { isInPlace = $0.baseAddress == value.baseAddress.map { $0 + 2 } })
      #expect(isInPlace)
    }
  }
}
