import JacquardWire
import Testing
import TestWorld
import WireFormat

@testable import TagSimulator

extension SoftwareTagTests {
  // MARK: - Requested faults

  @Test(
    "damages one packet as requested",
    arguments: [
      (TagSimulator.PacketDamage.counter, ["80 4f", "43"]), (.length, ["80 4e", "41"]), (.header, ["00 4f", "41"]),
      (.firstMissing, ["41"]), (.lastMissing, ["80 4f"]), (.duplicated, ["80 4f", "41", "41"]),
      (.empty, ["", "80 4f", "41"]),
    ]) func faults(fault: TagSimulator.PacketDamage, heads: [String]) throws
  {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.corrupt(.response, fault))
    fixture.command(Example.deviceInfo)
    let values = fixture.values(.response)
    #expect(values.count == heads.count)
    for (value, head) in zip(values, heads) { #expect(value.hasPrefix(head)) }
    fixture.command(Example.deviceInfo)
    #expect(fixture.values(.response).count == 2)
  }

  @Test("sends a packet too short or too long") func lengthFaults() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.corrupt(.notification, .truncated))
    try fixture.tag.perform(.battery(50, charging: false))
    try fixture.tag.perform(.corrupt(.notification, .oversized))
    try fixture.tag.perform(.battery(50, charging: false))
    #expect(fixture.values(.notification).map { $0.split(separator: " ").count } == [14, 79])
  }

  @Test(
    "responds to a request as a scenario defines",
    arguments: [
      ("status 10", ["c0 06 08 05 10 0a 18 00"]), ("drop", []),
      ("wrong-id", ["c0 0d 08 06 10 00 18 00 ca 07 04 08 50 10 02"]),
      ("without-payload", ["c0 06 08 05 10 00 18 00"]), ("garbage", ["c0 03 ff ff ff"]),
      ("duplicate", ["c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10 02", "c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10 02"]),
      ("corrupt truncated", ["c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10"]), ("disconnect", []),
    ]) func reactions(reaction: String, answers: [String]) throws
  {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    guard case .tag(let action) = try Scenario.step(parsing: "on request battery once: \(reaction)")?.action else {
      Issue.record("not an action of a tag")
      return
    }
    try fixture.tag.perform(action)
    fixture.command(Example.battery)
    #expect(fixture.values(.response) == answers)
    #expect(fixture.tag.isConnected == (reaction != "disconnect"))
    if fixture.tag.isConnected, reaction != "drop", reaction != "garbage" {
      fixture.command(Example.battery)
      #expect(fixture.values(.response) == ["c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10 02"])
    }
  }

  @Test("responds with text in Latin-1 once on request") func latin1() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    for request in [Example.hello, Example.begin] { fixture.command(request) }
    fixture.heard = []
    try fixture.tag.perform(.react(Reaction(to: .deviceInfo, .latin1, times: 1)))
    for letter in ["e9", "65"] {
      fixture.command(Example.deviceInfo)
      #expect(fixture.values(.response).joined().contains("47 6f 6f 67 6c \(letter) 20 49 6e 63 2e"))
    }
    #expect(fixture.breaches == [])
  }

  @Test("responds late on request") func delay() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.react(Reaction(to: .battery, .delay(.seconds(3)))))
    fixture.command(Example.battery)
    fixture.time.advance(by: .milliseconds(2999))
    #expect(fixture.values(.response).isEmpty)
    fixture.time.advance(by: .milliseconds(1))
    #expect(fixture.values(.response).count == 1)
  }

  @Test("never crashes for any written bytes") func hostileBytes() throws {
    let fixture = try SoftwareTagFixture()
    var generator = SeededRandom(seed: 1)
    func random() -> UInt64 { generator.next() }
    let routes = RequestKind.allCases.map(\.wire)
    for round in 0..<4000 {
      if !fixture.tag.isConnected { fixture.setUp() }
      var packet: [UInt8]
      if round % 2 == 0 {
        // A well-formed header, so that the handlers are reached, and a random payload.
        let (route, payload) = routes[Int(random() % UInt64(routes.count))]
        let inner = (0..<Int(random() % 12)).map { _ in UInt8(random() & 0x7f) }
        let key = UInt32(payload ?? 99) << 3 | 2
        packet = [0x08, UInt8(route.domain), 0x10, UInt8(route.opcode), 0x18, 0x05]
        packet += [UInt8(key & 0x7f | 0x80), UInt8(key >> 7), UInt8(inner.count)] + inner
      } else {
        packet = (0..<Int(random() % 61)).map { _ in UInt8(random() & 0xff) }
      }
      let target: TagCharacteristic = random() % 5 == 0 ? .rawData : .command
      if random() % 8 == 0 {
        fixture.tag.write(packet, to: target, type: .request)
      } else {
        for value in FragmentCutter.cut(packet, capacity: 61) { fixture.tag.write(value, to: target, type: .command) }
      }
      fixture.time.advance(by: .seconds(10))
      fixture.heard = []
    }
    #expect(fixture.tag.violations.count > 1000)
  }
}
