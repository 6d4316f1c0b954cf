import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

@Suite("Why a link ended")
struct DisconnectReasonTests {
  private let fixture: WorldFixture

  init() throws { fixture = try WorldFixture() }

  private func reasons(_ watch: ConnectionWatch) -> [DisconnectReason] {
    watch.states.map(\.disconnectReason).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test(
    "is BlueZ's reason, if it reports one",
    arguments: [
      ("out-of-range for 2s", DisconnectReason.timeout), ("drop link", .remote), ("suspend for 5s", .suspend),
    ])
  func reported(_ event: String, _ reason: DisconnectReason) throws {
    try fixture.happen("quirk disconnected-signal on")
    let watch = try fixture.connected()
    watch.forget()
    try fixture.happen(event)
    #expect(watch.states.first?.disconnectReason == reason)
    #expect(watch.states.first?.reason?.message.contains(reason.explanation) == true)
    fixture.run(until: { watch.isConnected })
    #expect(reasons(watch) == [reason, .none])
  }

  @Test("is unknown if BlueZ does not report it", arguments: ["out-of-range for 2s", "drop link", "suspend for 5s"])
  func untold(_ event: String) throws {
    let watch = try fixture.connected()
    watch.forget()
    try fixture.happen(event)
    fixture.run(until: { watch.isConnected })
    #expect(reasons(watch) == [.unknown, .none])
  }

  @Test("is LOCAL if the library dropped the link", arguments: ["on", "off"])
  func ours(_ signal: String) throws {
    try fixture.happen("quirk disconnected-signal \(signal)")
    let watch = try fixture.connected()
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded })
    #expect(watch.states.last?.disconnectReason == .local)
  }

  @Test("is NONE before the first link")
  func noLink() throws {
    try fixture.happen("connect fails le-connection-abort-by-local 3 times")
    let watch = try fixture.connected()
    #expect(reasons(watch) == [.none])
  }

  @Test("is kept through failed attempts")
  func throughAttempts() throws {
    try fixture.happen("quirk disconnected-signal on")
    let watch = try fixture.connected()
    watch.forget()
    try fixture.happen("connect fails le-connection-abort-by-local 3 times")
    try fixture.happen("drop link")
    fixture.run(until: { watch.isConnected })
    #expect(watch.states.map(\.attempt).max() == 4)
    #expect(reasons(watch) == [.remote, .none])
  }

  @Test("is LOCAL if a failed set-up drops its link")
  func setUpFails() throws {
    try fixture.happen("on request hello once: drop")
    let watch = try fixture.connected()
    #expect(reasons(watch) == [.none, .local, .none])
  }

  @Test("power-off is reported shortly after the loss", arguments: ["on", "off"])
  func poweredOff(_ signal: String) throws {
    try fixture.happen("quirk disconnected-signal \(signal)")
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try fixture.connected(options)
    watch.forget()
    try fixture.happen("adapter off")
    fixture.stepped.pass(.seconds(5))
    #expect(reasons(watch) == [signal == "on" ? .local : .unknown, .poweredOff])
    try fixture.happen("adapter on")
    fixture.run(until: { watch.isConnected })
    #expect(watch.states.last?.disconnectReason == DisconnectReason.none)
  }

  @Test("power-off is reported with the end of a connection that does not wait")
  func poweredOffForGood() throws {
    let watch = try fixture.connected()
    try fixture.happen("adapter off")
    fixture.run(until: { watch.hasEnded })
    #expect(watch.states.last?.disconnectReason == .poweredOff)
  }

  @Test(
    "the loss of bluetoothd, the bus or the adapter is the reason",
    arguments: ["bluetoothd kill", "bluetoothd stop", "adapter removed"])
  func serviceGone(_ event: String) throws {
    let watch = try fixture.connected()
    try fixture.happen(event)
    fixture.stepped.pass(.seconds(5))
    #expect(watch.states.last?.disconnectReason == .serviceGone)
  }

  @Test(
    "stopping bluetoothd, which powers its adapters off first, is not power-off",
    arguments: [false, true])
  func asksToEnd(_ isAway: Bool) throws {
    let watch = try fixture.connected()
    if isAway {
      try fixture.happen("out-of-range")
      fixture.stepped.pass(.seconds(40))
    }
    watch.forget()
    try fixture.happen("bluetoothd stop for 4s")
    if !isAway { fixture.stepped.pass(.milliseconds(100)) }
    try fixture.happen("in-range")
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(!reasons(watch).contains(.poweredOff))
    #expect(!watch.reasons.contains(.poweredOff))
    if !isAway { #expect(reasons(watch) == [.unknown, .serviceGone, .none]) }
  }

  @Test("the end of the bus is the reason")
  func busGone() throws {
    let watch = try fixture.connected()
    fixture.stepped.killBus()
    fixture.settle()
    #expect(watch.states.last?.disconnectReason == .serviceGone)
  }

  @Test("power-off long after a loss is not its reason")
  func unrelated() throws {
    let watch = try fixture.connected()
    try fixture.happen("out-of-range")
    fixture.stepped.pass(.seconds(30))
    try fixture.happen("adapter off")
    fixture.run(until: { watch.hasEnded })
    #expect(watch.states.last?.disconnectReason == .unknown)
  }

  @Test("suspend is the reason, whether the loss is reported before or after")
  func slept() throws {
    for before in [true, false] {
      var slept: Duration = .seconds(1000)
      fixture.manager.core.timeAsleep = { slept }
      let watch = try fixture.connected()
      if before { try fixture.happen("suspend") }
      slept += .seconds(8 * 3600)
      if !before { try fixture.happen("suspend") }
      try fixture.happen("resume")
      fixture.run(until: { watch.isConnected })
      #expect(reasons(watch).contains(.suspend))
      watch.connection.end(.disconnected)
      fixture.run(until: { watch.hasEnded })
    }
  }
}
