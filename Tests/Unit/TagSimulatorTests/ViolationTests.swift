import Testing

@testable import TagSimulator

/// Provokes every kind of violation, which must be reported.
@Suite("The tag reports") struct ViolationTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var kind: Violation.Kind
    /// Values written to the command characteristic after the set-up.
    var writes: [String]
    /// The tag's last response, "" for none.
    var answer: String

    init(_ kind: Violation.Kind, _ writes: [String], answer: String = "") {
      self.kind = kind
      self.writes = writes
      self.answer = answer
    }

    var testDescription: String { kind.rawValue }
  }

  static let fragmentCases = [
    Case(.emptyValue, [""]),
    Case(.fragmentTooLarge, ["c0 3c " + [String](repeating: "00", count: 60).joined(separator: " ")]),
    Case(.firstFragmentCounter, ["c1 06 08 00 10 17 18 05"]),
    Case(.packetInterrupted, ["80 06 08 00", "c0 06 08 00 10 01 18 01"]),
    Case(.fragmentWithoutFirst, ["41 18 05"]),
    Case(.fragmentCounter, ["80 06 08 00 10", "42 17 18 05"]),
    Case(.lengthMalformed, ["c0 86 00 08 00 10 17 18 05"]),
    Case(.lengthMalformed, ["c0"]),
    Case(.lengthMalformed, ["c0 86 80 01 08"]),
    Case(.packetEmpty, ["c0 00"]),
    Case(.packetTooLarge, ["80 81 08 00"]),
    Case(.packetOverrun, ["c0 05 08 00 10 17 18 05"]),
    Case(.packetCutShort, ["c0 07 08 00 10 17 18 05"]),
    Case(.lastFlagMissing, ["80 06 08 00 10 17 18 05"]),
  ]

  static let requestCases = [
    Case(.requestMalformed, ["c0 03 08 00 12"]),
    Case(.requestMalformed, ["c0 03 ff ff ff"]),
    Case(.fieldMissing, ["c0 04 08 00 10 14"]),
    Case(.fieldMissing, ["c0 04 10 14 18 05"]),
    Case(.idReserved, ["c0 06 08 00 10 1e 18 00"], answer: "c0 06 08 00 10 00 18 00"),
    Case(.idReserved, ["c0 07 08 00 10 1e 18 ff 01"], answer: "c0 07 08 ff 01 10 00 18 00"),
    Case(.requestUnknown, ["c0 06 08 00 10 2a 18 05"], answer: "c0 06 08 05 10 01 18 00"),
    Case(.requestUnknown, ["c0 06 08 02 10 01 18 05"], answer: "c0 06 08 05 10 01 18 00"),
    Case(.protocolVersion, ["c0 0b 08 00 10 02 18 05 aa 06 02 08 01"], answer: "c0 06 08 05 10 02 18 00"),
    Case(.payloadMissing, ["c0 06 08 00 10 17 18 05"], answer: "c0 06 08 05 10 02 18 00"),
    Case(.payloadForeign, ["c0 0b 08 00 10 14 18 05 aa 06 02 08 02"], answer: "c0 06 08 05 10 02 18 00"),
    // device info for component 1
    Case(.componentUnknown, ["c0 0d 08 00 10 04 18 05 20 00 ba 06 02 08 01"], answer: "c0 06 08 05 10 02 18 00"),
    // battery of component 3
    Case(.componentUnknown, ["c0 0f 08 00 10 17 18 05 20 03 ca 07 04 08 01 10 01"], answer: "c0 06 08 05 10 02 18 03"),
    // battery, requesting nothing
    Case(.fieldMissing, ["c0 09 08 00 10 17 18 05 ca 07 00"], answer: "c0 06 08 05 10 02 18 00"),
    // configuration write without a block; with a queue depth of 0
    Case(.fieldMissing, ["c0 09 08 00 10 0b 18 05 ea 44 00"], answer: "c0 06 08 05 10 02 18 00"),
    Case(.valueOutOfRange, ["c0 0d 08 00 10 0b 18 05 ea 44 04 12 02 50 00"], answer: "c0 06 08 05 10 02 18 00"),
    // light without frames; light with a red value of 256
    Case(.fieldMissing, ["c0 0b 08 00 10 11 18 05 b2 07 02 10 01"], answer: "c0 06 08 05 10 02 18 00"),
    Case(
      .valueOutOfRange, ["c0 17 08 00 10 11 18 05 b2 07 0e 10 01 1a 08 0a 03 08 80 02 10 e8 07 28 64"],
      answer: "c0 06 08 05 10 02 18 00"),
    // firmware write and execute without prepare
    Case(.wrongState, ["c0 0e 08 01 10 03 18 05 d2 0c 05 08 00 12 01 aa"], answer: "c0 06 08 05 10 07 18 00"),
    Case(
      .wrongState, ["c0 17 08 01 10 04 18 05 da 0c 0e 08 c8 e1 e0 8b 01 10 a0 cf ef c1 02 18 00"],
      answer: "c0 06 08 05 10 07 18 00"),
    // module without a product
    Case(.fieldMissing, ["c0 0d 08 00 10 12 18 05 82 4b 04 0a 02 18 01"], answer: "c0 06 08 05 10 02 18 00"),
    // gear request without a component
    Case(.componentUnknown, ["c0 0d 08 08 10 07 18 05 da 38 04 08 01 10 00"], answer: "c0 06 08 05 10 02 18 00"),
  ]

  @Test("damaged fragments, and continues with the next valid request", arguments: fragmentCases)
  func fragments(breach: Case) throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    for write in breach.writes { fixture.command(write) }
    #expect(fixture.breaches == [breach.kind])
    #expect(fixture.values(.response).isEmpty)
    fixture.command(Example.battery)
    #expect(fixture.values(.response) == ["c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10 02"])
  }

  @Test("invalid requests, and responds like a tag", arguments: requestCases)
  func requests(breach: Case) throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    for write in breach.writes { fixture.command(write) }
    #expect(fixture.breaches == [breach.kind])
    #expect(fixture.values(.response).last ?? "" == breach.answer)
  }

  @Test("a request before hello, and one before begin") func order() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    fixture.command(Example.battery)
    #expect(fixture.values(.response) == ["c0 06 08 05 10 07 18 00"])
    fixture.command(Example.hello)
    fixture.command(Example.battery)
    #expect(fixture.breaches == [.beforeHello, .beforeBegin])
  }

  @Test("a write before the three notifications are enabled") func notify() throws {
    let fixture = try SoftwareTagFixture()
    fixture.tag.linkUp(capacity: 61)
    fixture.tag.setNotifying(true, on: .response)
    fixture.tag.setNotifying(true, on: .notification)
    fixture.command(Example.hello)
    #expect(fixture.breaches == [.writeWithoutNotify])
    #expect(fixture.tag.violations[0].detail == "rawData")
  }

  @Test("a write that old firmware does not support, and refuses the write") func writeType() throws {
    let fixture = try SoftwareTagFixture { $0.firmware = Version(1, 42, 0) }
    fixture.connect()
    #expect(fixture.write(Example.hello, to: .command, type: .request) == .writeNotPermitted)
    #expect(fixture.write(Example.hello, to: .command, type: .command) == nil)
    #expect(fixture.breaches == [.writeTypeNotOffered])
    #expect(fixture.values(.response).count == 1)
  }

  @Test("a write to a characteristic that only notifies") func notWritable() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    #expect(fixture.write(Example.hello, to: .response) == .writeNotPermitted)
    #expect(fixture.breaches == [.notWritable])
  }

  @Test("a request before the response to the previous one, and responds BUSY") func overlap() throws {
    let fixture = try SoftwareTagFixture { $0.behaviour.latency = .milliseconds(50) }
    fixture.connect()
    fixture.command(Example.hello)
    fixture.command(Example.begin)
    #expect(fixture.breaches == [.requestOverlap])
    fixture.time.advance(by: .milliseconds(50))
    #expect(fixture.values(.response).map { $0.prefix(17) } == ["c0 2b 08 01 10 00", "c0 06 08 02 10 0a"])
  }

  @Test("nothing if a host continues after its time limit") func patience() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.react(Reaction(to: .battery, .drop, times: 1)))
    fixture.command(Example.battery)
    fixture.time.advance(by: .seconds(7))
    fixture.command("c0 06 08 00 10 14 18 06")
    #expect(fixture.breaches == [.requestOverlap])
    fixture.time.advance(by: .seconds(1))
    fixture.command("c0 06 08 00 10 14 18 07")
    #expect(fixture.breaches == [.requestOverlap])
  }

  @Test("raw packets that are too short, and unexpected acknowledgements") func rawData() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.write("c0 01 41", to: .rawData)
    fixture.write("c0 02 05 41", to: .rawData)
    #expect(fixture.breaches == [.rawPacketMalformed, .acknowledgementUnexpected])
  }

  @Test("acknowledgements of a motion stream") func acknowledgedStream() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.tag.modules.modules[0].isEnabled = true
    fixture.command(
      "c0 1e 08 09 10 01 18 07 ca 3e 15 0a 13 0a 01 63 12 01 73 1a 01 74 22 01 75 28 00 4a 01 70 38 00")
    fixture.time.advance(by: .seconds(1))
    fixture.write("c0 02 e8 41", to: .rawData)
    #expect(fixture.breaches == [.acknowledgementUnexpected])
  }

  @Test("a download that is not acknowledged, and stops it") func unacknowledged() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.tag.startDownload([UInt8](repeating: 1, count: 10), from: 0)
    fixture.time.advance(by: .seconds(4))
    #expect(fixture.values(.rawData).count == 5)
    #expect(fixture.breaches.isEmpty)
    fixture.time.advance(by: .seconds(60))
    #expect(fixture.breaches == [.acknowledgementMissing])
    #expect(fixture.values(.rawData).isEmpty)
  }

  @Test("no acknowledgements of the copies of a packet, even if it has given up") func lateAcknowledgements() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.tag.startDownload([UInt8](repeating: 1, count: 10), from: 0)
    fixture.time.advance(by: .seconds(60))
    for _ in 0..<RawSender.attempts { fixture.write("c0 02 00 41", to: .rawData) }
    #expect(fixture.breaches == [.acknowledgementMissing])
    fixture.write("c0 02 01 41", to: .rawData)
    #expect(fixture.breaches == [.acknowledgementMissing, .acknowledgementUnexpected])
  }

  @Test("haptics outside their limits") func haptics() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(#require(Gear.named("levis-trucker")), component: 101))
    fixture.setUp()
    fixture.command("c0 18 08 08 10 06 18 0c 20 65 d2 38 0d 0a 0b 08 aa 01 10 1e 18 01 20 65 28 01")
    #expect(fixture.breaches == [.valueOutOfRange])
    #expect(fixture.values(.response) == ["c0 06 08 0c 10 02 18 65"])
  }

  @Test("every kind in one of these tests") func completeness() {
    let provoked = Set((Self.fragmentCases + Self.requestCases).map(\.kind)).union([
      .beforeHello, .beforeBegin, .writeWithoutNotify, .writeTypeNotOffered, .notWritable, .requestOverlap,
      .rawPacketMalformed, .acknowledgementUnexpected, .acknowledgementMissing,
    ])
    #expect(provoked == Set(Violation.Kind.allCases))
  }

  @Test("the bytes of a violation") func description() {
    let violation = Violation(.fragmentCounter, "2 instead of 1", bytes: [0x42, 0x17])
    #expect("\(violation)" == "fragment counter out of order (2 instead of 1): 42 17")
  }
}
