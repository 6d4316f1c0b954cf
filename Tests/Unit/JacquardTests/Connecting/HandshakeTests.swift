import TagSimulator
import Testing

@testable import Jacquard

@Suite("Negotiating the protocol")
struct HandshakeTests {
  private let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  /// The reason why the first attempt failed, if it did; the connection is established in the end.
  private func firstFailure() throws -> JacquardError? {
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    return watch.states.compactMap(\.reason).first
  }

  @Test("a tag that supports protocol 2 among others is accepted", arguments: ["2 2", "1 3", "0 255", "2 9", "1 2"])
  func protocolRange(_ range: String) throws {
    try fixture.happen("protocol \(range)")
    #expect(try firstFailure() == nil)
  }

  @Test(
    "a tag that does not support protocol 2 ends the connection",
    arguments: ["1 1", "3 4", "0 1", "255 255"])
  func foreignProtocol(_ range: String) throws {
    try fixture.happen("protocol \(range)")
    let watch = try fixture.connect()
    fixture.run(until: { watch.hasEnded }, within: .seconds(30))
    #expect(watch.reasons == [.protocolVersion])
    #expect(watch.connection.state.reason?.message.contains("\(range.split(separator: " ")[0])") == true)
    #expect(fixture.tag.journal.links == 1)
    #expect(watch.states.map(\.step).max() == Step.helloWritten.rawValue)
  }

  @Test("an incomplete response fails the attempt", arguments: ["hello", "begin", "device-info"])
  func withoutPayload(_ request: String) throws {
    try fixture.happen("on request \(request) once: without-payload")
    #expect(try firstFailure()?.code == .malformedResponse)
  }

  @Test("the response to the configuration needs no payload")
  func configurationWithoutPayload() throws {
    try fixture.happen("on request config-write once: without-payload")
    #expect(try firstFailure() == nil)
  }

  @Test(
    "an error status fails the attempt with that status", arguments: ["hello", "begin", "device-info", "config-write"])
  func errorStatus(_ request: String) throws {
    try fixture.happen("on request \(request) once: status 7")
    let failure = try #require(try firstFailure())
    #expect(failure.code == .tagStatus)
    #expect(failure.tagStatus == 7)
  }

  @Test(
    "a missing response fails the attempt after the time limit of its request",
    arguments: [("hello", 2), ("begin", 2), ("device-info", 2), ("config-write", 2)])
  func noAnswer(_ request: String, _ seconds: Int) throws {
    try fixture.happen("on request \(request) once: drop")
    let watch = try fixture.connect()
    fixture.run(until: { watch.states.last.map { $0.step >= Step.thirdNotificationsEnabled.rawValue } ?? false })
    let start = fixture.now
    fixture.run(until: { watch.states.contains { $0.attempt == 2 } })
    #expect(watch.reasons == [.timeout])
    // BlueZ takes two seconds to drop the link.
    #expect(start.duration(to: fixture.now) == .seconds(seconds + 2))
    fixture.run(until: { watch.isConnected })
    #expect(watch.isConnected)
  }

  @Test(
    "packets instead of or in addition to a response are ignored",
    arguments: ["garbage", "wrong-id", "duplicate", "disconnect"])
  func strangeAnswers(_ reaction: String) throws {
    for request in ["hello", "begin", "device-info", "config-write"] {
      try fixture.happen("on request \(request) once: \(reaction)")
    }
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
  }

  @Test("a tag whose vendor and model are not UTF-8 connects, with repaired text")
  func foreignText() throws {
    try fixture.happen("on request device-info: latin-1")
    let watch = try fixture.connected()
    #expect(watch.isConnected && watch.states.allSatisfy { $0.attempt == 1 })
    #expect(watch.tag?.info.vendor == "Googl\u{fffd} Inc.")
    #expect(watch.tag?.info.model == "UJT")
  }

  @Test("old firmware without write requests gets write commands")
  func oldFirmware() throws {
    try fixture.happen("firmware 1.42.0")
    #expect(try firstFailure() == nil)
    #expect(fixture.tag.violations == [])
  }

  @Test("if the tag refuses the write requests that BlueZ lists, hello is repeated as a write command")
  func writeNotPermitted() throws {
    let watch = try fixture.connect()
    watch.onState = { [fixture] state in
      // The flags are already exported.
      guard state.step == Step.characteristicsFound.rawValue else { return }
      do { _ = try fixture.world.control("firmware 1.42.0") } catch { Issue.record(error) }
    }
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(watch.steps == Array(1...14))
    #expect(fixture.tag.violations.map(\.kind) == [.writeTypeNotOffered])
    #expect(fixture.tag.journal.requestIDs == [2, 3, 4, 5])
  }

  @Test("works with the smallest and the largest MTU", arguments: [23, 64, 65, 517])
  func mtu(_ mtu: Int) throws {
    try fixture.happen("mtu \(mtu)")
    #expect(try firstFailure() == nil)
    #expect(fixture.tag.violations == [])
  }

  @Test("a damaged response fails at most the attempt", arguments: PacketDamage.allCases)
  func damage(_ fault: PacketDamage) throws {
    try fixture.happen("corrupt response \(fault.rawValue)")
    let watch = try fixture.connected()
    #expect(watch.isConnected)
    #expect(watch.states.allSatisfy { $0.attempt <= 2 })
  }
}
