import EventLoop
import TagSimulator
import Testing

@testable import Jacquard

@Suite("Why a link ended")
struct DisconnectReasonTests {
  private let bench: WorldFixture

  init() throws { bench = try WorldFixture() }

  private func reasons(_ watch: ConnectionWatch) -> [DisconnectReason] {
    watch.states.map(\.disconnectReason).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test(
    "is BlueZ's reason, if it reports one",
    arguments: [
      ("out-of-range for 2s", DisconnectReason.timeout), ("drop link", .remote), ("suspend for 5s", .suspend),
    ])
  func reported(_ event: String, _ reason: DisconnectReason) throws {
    try bench.happen("quirk disconnected-signal on")
    let watch = try bench.connected()
    watch.forget()
    try bench.happen(event)
    #expect(watch.states.first?.disconnectReason == reason)
    #expect(watch.states.first?.reason?.message.contains(reason.explanation) == true)
    bench.run(until: { watch.isConnected })
    #expect(reasons(watch) == [reason, .none])
  }

  @Test("is unknown if BlueZ does not report it", arguments: ["out-of-range for 2s", "drop link", "suspend for 5s"])
  func untold(_ event: String) throws {
    let watch = try bench.connected()
    watch.forget()
    try bench.happen(event)
    bench.run(until: { watch.isConnected })
    #expect(reasons(watch) == [.unknown, .none])
  }

  @Test("is LOCAL if the library dropped the link", arguments: ["on", "off"])
  func ours(_ signal: String) throws {
    try bench.happen("quirk disconnected-signal \(signal)")
    let watch = try bench.connected()
    watch.connection.end(.disconnected)
    bench.run(until: { watch.hasEnded })
    #expect(watch.states.last?.disconnectReason == .local)
  }

  @Test("is NONE before the first link")
  func noLink() throws {
    try bench.happen("connect fails le-connection-abort-by-local 3 times")
    let watch = try bench.connected()
    #expect(reasons(watch) == [.none])
  }

  @Test("is kept through failed attempts")
  func throughAttempts() throws {
    try bench.happen("quirk disconnected-signal on")
    let watch = try bench.connected()
    watch.forget()
    try bench.happen("connect fails le-connection-abort-by-local 3 times")
    try bench.happen("drop link")
    bench.run(until: { watch.isConnected })
    #expect(watch.states.map(\.attempt).max() == 4)
    #expect(reasons(watch) == [.remote, .none])
  }

  @Test("is LOCAL if a failed set-up drops its link")
  func setUpFails() throws {
    try bench.happen("on request hello once: drop")
    let watch = try bench.connected()
    #expect(reasons(watch) == [.none, .local, .none])
  }

  @Test("power-off is reported shortly after the loss", arguments: ["on", "off"])
  func poweredOff(_ signal: String) throws {
    try bench.happen("quirk disconnected-signal \(signal)")
    var options = Connection.Options()
    options.waitForAdapter = true
    let watch = try bench.connected(options)
    watch.forget()
    try bench.happen("adapter off")
    bench.stepped.pass(.seconds(5))
    #expect(reasons(watch) == [signal == "on" ? .local : .unknown, .poweredOff])
    try bench.happen("adapter on")
    bench.run(until: { watch.isConnected })
    #expect(watch.states.last?.disconnectReason == DisconnectReason.none)
  }

  @Test("power-off is reported with the end of a connection that does not wait")
  func poweredOffForGood() throws {
    let watch = try bench.connected()
    try bench.happen("adapter off")
    bench.run(until: { watch.hasEnded })
    #expect(watch.states.last?.disconnectReason == .poweredOff)
  }

  @Test(
    "the loss of bluetoothd, the bus or the adapter is the reason",
    arguments: ["bluetoothd kill", "bluetoothd stop", "adapter removed"])
  func serviceGone(_ event: String) throws {
    let watch = try bench.connected()
    try bench.happen(event)
    bench.stepped.pass(.seconds(5))
    #expect(watch.states.last?.disconnectReason == .serviceGone)
  }

  @Test(
    "stopping bluetoothd, which powers its adapters off first, is not power-off",
    arguments: [false, true])
  func asksToEnd(_ isAway: Bool) throws {
    let watch = try bench.connected()
    if isAway {
      try bench.happen("out-of-range")
      bench.stepped.pass(.seconds(40))
    }
    watch.forget()
    try bench.happen("bluetoothd stop for 4s")
    if !isAway { bench.stepped.pass(.milliseconds(100)) }
    try bench.happen("in-range")
    bench.run(until: { watch.isConnected }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(!reasons(watch).contains(.poweredOff))
    #expect(!watch.reasons.contains(.poweredOff))
    if !isAway { #expect(reasons(watch) == [.unknown, .serviceGone, .none]) }
  }

  @Test("the end of the bus is the reason")
  func busGone() throws {
    let watch = try bench.connected()
    bench.stepped.killBus()
    bench.settle()
    #expect(watch.states.last?.disconnectReason == .serviceGone)
  }

  @Test("power-off long after a loss is not its reason")
  func unrelated() throws {
    let watch = try bench.connected()
    try bench.happen("out-of-range")
    bench.stepped.pass(.seconds(30))
    try bench.happen("adapter off")
    bench.run(until: { watch.hasEnded })
    #expect(watch.states.last?.disconnectReason == .unknown)
  }

  @Test("suspend is the reason, whether the loss is reported before or after")
  func slept() throws {
    for before in [true, false] {
      var slept: Duration = .seconds(1000)
      bench.manager.core.timeAsleep = { slept }
      let watch = try bench.connected()
      if before { try bench.happen("suspend") }
      slept += .seconds(8 * 3600)
      if !before { try bench.happen("suspend") }
      try bench.happen("resume")
      bench.run(until: { watch.isConnected })
      #expect(reasons(watch).contains(.suspend))
      watch.connection.end(.disconnected)
      bench.run(until: { watch.hasEnded })
    }
  }
}
