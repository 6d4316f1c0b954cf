import EventLoop

/// The permitted costs of the library in an hour in which nothing happens.
extension Life {
  /// The limits for one tag.
  private struct Limits {
    var connects = 0
    /// Calls to bluetoothd, including those of `Connect`.
    var calls = 0
    var wakeUps = 0
    var states = 0
    /// The least time that each connection is preparing.
    var preparing: Duration = .zero

    /// BlueZ gives up each `Connect` after 41 s; a tag that it does not know is searched for in about 70 windows.
    static let absence = Limits(
      connects: 90, calls: 290, wakeUps: 200, states: 100, preparing: .seconds(3600) * 95 / 100)
  }

  /// Whether this life has these hours. Streams and updates continue, so they would have to end first.
  private var countsCosts: Bool {
    seed % 8 == 1 && !plan.usesMotion && !plan.updatesFirmware && !plan.addressesArePrivate
  }

  func checkCosts() {
    guard stage.failure == nil, countsCosts else { return }
    for program in stage.programs {
      for promise in program.promises where promise.kind == .scan { program.release(promise) }
    }
    for line in ["sleep-after 100000s", "link-time unlimited"] { stage.happen(line) }
    // Links that are up may still end after 45 s, and show that the tag has lost a bond, which a person has to remove.
    stage.run(for: .seconds(60))
    checkThatEverythingIsUp()
    checkHour(of: "idleness", nil)
    stage.happen("out-of-range")
    checkHour(of: "absence", .absence)
    stage.happen("in-range")
    checkThatEverythingIsUp()
    stage.happen("bluetoothd kill")
    checkHour(of: "a bluetoothd that is down", nil)
    stage.happen("bluetoothd start")
    stage.run(for: .seconds(60))
  }

  /// The costs of programs that have nothing to do.
  private var idleness: Limits {
    // A program that waits for another one's link asks it a few times whether it responds.
    var limits = Limits(wakeUps: plan.shares ? 10 : 0)
    // One that waits for a program that does not share tries again every ten minutes; if it cannot see the release,
    // every 15 s for ten minutes, and then every minute.
    let waiting = connections.filter { !$0.hasEnded && waitsForOther($0) }.count
    limits.wakeUps += 30 * waiting
    limits.states = waiting > 0 ? 100 : 0
    return limits
  }

  /// - Parameter limits: nil: nothing may happen. Then the first two minutes, in which the programs react to what has
  ///   changed, do not count: a link of 45 s may still end, and return after some that are lost early; a service
  ///   without a bus returns, and finds that another program has the tag.
  private func checkHour(of situation: String, _ limits: Limits?) {
    if limits == nil { stage.run(for: .seconds(120)) }
    guard stage.failure == nil else { return }
    let limits = limits ?? idleness
    let before = (connects: stage.connects, calls: stage.calls, wakeUps: stage.wakeUps)
    let wanted = connections.filter { !$0.hasEnded && !$0.isReleased && !$0.program.isEnded }
    let statesBefore = wanted.map { (states: $0.states, prepared: $0.prepared) }
    stage.run(for: .seconds(3600))
    guard stage.failure == nil else { return }
    func check(_ count: Int, _ limit: Int, _ what: String) {
      let most = limit * plan.tagCount
      if count > most { stage.fail("an hour of \(situation) took \(count) \(what), of \(most)") }
    }
    check(stage.connects - before.connects, limits.connects, "calls of Connect")
    check(stage.calls - before.calls, limits.calls, "calls")
    check(stage.wakeUps - before.wakeUps, limits.wakeUps * stage.programs.count, "wake-ups")
    for (connection, before) in zip(wanted, statesBefore) {
      let states = connection.states - before.states
      if states > limits.states {
        stage.fail("an hour of \(situation) took \(states) states, of \(limits.states)")
      }
      let prepared = connection.prepared - before.prepared
      if prepared < limits.preparing, !connection.hasEnded {
        stage.fail("a connection was preparing for \(prepared) of an hour of \(situation), of \(limits.preparing)")
      }
    }
  }
}
