import CJacquard
import EventLoop

/// Conditions that must hold after all faults have ended.
extension Life {
  /// The limit from the end of all faults until every request is fulfilled: the longest pause between two attempts, and
  /// two attempts, of which the first may still fail because of the faults.
  static let recoveryLimit: Duration = .seconds(180)
  /// The limit for pending work: no command takes longer than this.
  private static let rest: Duration = .seconds(60)

  private static let remedies = [
    "adapter unblocked", "adapter added", "adapter on", "resume", "connect works", "connect takes 80ms",
    "resolve works",
    "resolve takes 100ms", "disconnect takes 2s", "discovery works", "mtu 247", "pairing takes 400ms",
    "pairing asks nothing", "notify works", "quirk unanswered-connect off",
    "quirk unanswered-write off", "heed", "in-range", "advertise on",
    "advertise every 100ms", "move", "mute off", "latency 0s", "air-time 0s", "storage free", "battery 90",
    "bond optional",
    "bond accepted", "load-report after", "protocol 2 2", "rssi -60", "module installed",
  ]

  /// Ends all faults: everything works from now on.
  func heal() {
    stage.note("heals")
    disk.heal()
    for number in 1...2 { stage.happen("foreign \(number) exit") }
    stage.happen("bluetoothd continue")
    for line in Self.remedies + plan.tagBehaviour { stage.happen(line) }
    haveRemainsForgotten()
    stage.startBus()
    stage.happen("bluetoothd start")
    for program in stage.programs { program.calmDown() }
    stage.service?.heal()
    // Connections that were ending have ended now, and are requested again.
    stage.run(for: .seconds(1))
    stage.happen("bluetoothd start")
    stage.settle()
  }

  /// bluetoothd forgets what is left of a tag whose services were withdrawn when it has no link and no program scans. A
  /// program may not end the link of a device that is not known to be a tag: the tag does.
  private func haveRemainsForgotten() {
    guard plan.withdrawsServices else { return }
    for tag in stage.world.tags.indices { stage.happen("tag \(tag + 1) drop link") }
    for program in stage.programs {
      for scan in program.promises where scan.kind == .scan { while scan.references > 0 { program.release(scan) } }
    }
  }

  func checkThatEverythingIsUp() {
    let wanted = {
      self.stage.programs.flatMap(\.connections).filter {
        !$0.hasEnded && !$0.isDisconnecting && !self.cannotBeRecognised($0)
      }
    }
    let late = {
      // Of several programs that do not share a tag, one has it.
      let held = Set(self.connections.filter { $0.isConnected && !$0.program.isEnded }.map(\.tag))
      return wanted().filter { !$0.isConnected && !(held.contains($0.tag) && self.waitsForOther($0)) }
    }
    if !awaitConnections(late, for: Self.recoveryLimit), stage.failure == nil {
      let late = late().map { "\($0.number) of program \($0.program.number)" }
      stage.fail("not connected \(Self.recoveryLimit) after the last fault: \(late.joined(separator: ", "))")
    }
    checkThatEachTagHasOneLink()
    // By this time every command must have completed.
    let commands = { self.connections.compactMap(\.commands) }
    let mayWait = { self.waitsForOther($0) || self.cannotBeRecognised($0) }
    let pending = { self.pending.filter { !($0.connection.map(mayWait) ?? false) } }
    let areDone = { commands().allSatisfy(\.isEmpty) && pending().isEmpty }
    if !awaitCompletion(of: pending, until: areDone), stage.failure == nil {
      let late = pending().map { "\($0.kind.rawValue) #\($0.number)" }.joined(separator: ", ")
      stage.fail("a command has not completed \(Self.recoveryLimit) after the last fault: \(late)")
    }
    for connection in wanted() where !waitsForOther(connection) { checkThatTheTagResponds(on: connection) }
  }

  /// Waits while a person removes each bond that a tag has lost: of two tags, and again if the link was lost meanwhile.
  ///
  /// - Parameter late: the connections that are not connected yet.
  private func awaitConnections(_ late: @escaping () -> [ConnectionUse], for limit: Duration) -> Bool {
    let doubted = { late().first(where: \.doubtsBond) }
    for _ in 0..<4 {
      guard stage.run(for: limit, until: { late().isEmpty || doubted() != nil }), let tag = doubted()?.tag
      else { break }
      removeBond(ofTag: tag)
    }
    return stage.run(for: limit, until: { late().isEmpty })
  }

  /// A write without a reply keeps a link up for half a minute. If the tag loses its bond meanwhile, that shows only on
  /// the next link.
  private func awaitCompletion(of pending: @escaping () -> [Promise], until areDone: @escaping () -> Bool) -> Bool {
    let doubted: () -> ConnectionUse? = {
      areDone() ? nil : pending().compactMap(\.connection).first(where: \.doubtsBond)
    }
    for _ in 0..<4 {
      guard stage.run(for: Self.recoveryLimit, until: { areDone() || doubted() != nil }) else { return false }
      guard let tag = doubted()?.tag else { return true }
      removeBond(ofTag: tag)
    }
    return stage.run(for: Self.recoveryLimit, until: areDone)
  }

  private func removeBond(ofTag tag: Int) {
    stage.happen("tag \(tag + 1) foreign 1 remove")
    stage.run(for: .seconds(20))
    stage.happen("foreign 1 exit")
  }

  /// A bound tag without its bond has another address each time: a killed service has removed the bond for a program
  /// that did not get its answer. If no program has recorded the bond, because another library made it, binding was
  /// interrupted, or the records were lost, no program knows that the tag had the address that this connection wants.
  private func cannotBeRecognised(_ connection: ConnectionUse) -> Bool {
    guard plan.addressesArePrivate else { return false }
    let isBonded = stage.daemon.bonds.contains(stage.world.tags[connection.tag].profile.address)
    return connection.lacksBond || isBonded && !disk.mentions(resolved[connection.tag])
  }

  /// Whether another program has the tag, and it or this one does not share it.
  func waitsForOther(_ connection: ConnectionUse) -> Bool {
    connection.isTaken
      && stage.programs.flatMap(\.connections).contains {
        $0.tag == connection.tag && $0.program !== connection.program && !$0.hasEnded
          && ($0.program.sharing != .on || connection.program.sharing != .on)
      }
  }

  /// A tag may end the link that is up; then it responds on the next one. If it lost its bond meanwhile, a person
  /// removes that bond first.
  private func checkThatTheTagResponds(on connection: ConnectionUse) {
    let end = stage.time.now.advanced(by: Self.recoveryLimit)
    while stage.failure == nil, !connection.hasEnded, !waitsForOther(connection) {
      guard stage.time.now < end else {
        return stage.fail("no response on connection \(connection.number) of program \(connection.program.number)")
      }
      if connection.isConnected, let command = connection.program.readBattery(connection) {
        stage.run(for: Self.rest, until: { command.isComplete })
        if command.hasSucceeded { return }
      }
      if connection.doubtsBond { removeBond(ofTag: connection.tag) }
      stage.run(for: .seconds(1))
    }
  }

  private func checkThatEachTagHasOneLink() {
    guard stage.failure == nil else { return }
    for tag in stage.world.tags.indices {
      let connected = stage.programs.flatMap(\.connections).filter { $0.tag == tag && $0.isConnected }
      let direct = connected.filter { !$0.usesService }
      if direct.count > 1 || !direct.isEmpty && direct.count < connected.count {
        stage.fail("\(direct.count) of \(connected.count) connections have a link to tag \(tag + 1) themselves")
      }
    }
  }

  /// After the programs have ended everything, their managers have nothing registered with bluetoothd.
  func checkThatNothingIsLeft() {
    guard stage.failure == nil else { return }
    for program in stage.programs {
      for connection in program.connections where !connection.hasEnded { program.disconnect(connection) }
      for promise in program.promises where promise.kind == .scan { program.release(promise) }
    }
    let all = { self.stage.programs.flatMap(\.connections) }
    if !stage.run(for: Self.rest, until: { all().allSatisfy(\.hasEnded) }), stage.failure == nil {
      return stage.fail("a connection has not ended \(Self.rest) after it was disconnected")
    }
    // Work after the final state.
    stage.run(for: .seconds(15))
    guard stage.failure == nil else { return }
    let left = stage.daemon.whatClientsKeep
    if !left.isEmpty {
      stage.fail("when all connections have ended, bluetoothd still has \(left.joined(separator: ", "))")
    }
    checkThatTagsAreUsable()
    checkNeighbours()
  }

  /// All devices other than tags are as they were, and no call has named one.
  private func checkNeighbours() {
    let touched = stage.daemon.touchedNeighbours
    if !touched.isEmpty { stage.fail("devices other than tags were touched: \(touched.joined(separator: "; "))") }
  }

  /// A new program connects to every tag without delay.
  private func checkThatTagsAreUsable() {
    for program in stage.programs { program.end() }
    // A Connect that a killed program had sent may have made a link since the faults ended.
    haveRemainsForgotten()
    // A service that could not reach the bus tries again after half a minute: this bus has no socket file to watch.
    stage.run(for: .seconds(35))
    guard stage.failure == nil, let program = begin(restoring: nil, connecting: false, plan.shares ? .on : .off)
    else { return }
    for isResolved in plan.addressesArePrivate ? [false, true] : [false] {
      for tag in stage.world.tags.indices { program.unbind(tag, keeping: false, isResolved: isResolved) }
    }
    stage.run(for: .seconds(30))
    for tag in stage.world.tags.indices { program.connect(to: tag, timeout: 0, waitForAdapter: true) }
    let late = { program.connections.filter { !$0.isConnected } }
    if !awaitConnections(late, for: .seconds(60)), stage.failure == nil {
      return stage.fail("a new program has not connected to all tags after a minute")
    }
    var dice = Dice(seed: 0)
    for connection in program.connections { program.command(connection, &dice) }
    stage.run(for: .seconds(60), until: { program.connections.allSatisfy { $0.commands?.isEmpty ?? false } })
    program.end()
    stage.run(for: .seconds(10))
    stage.service?.end()
    stage.run(for: .seconds(1))
    // Registered by bluetoothd itself.
    if stage.failure == nil, stage.bus.connectionCount != 1 || stage.bus.matchRuleCount != 1 {
      stage.fail("the bus still has \(stage.bus.connectionCount) connections, \(stage.bus.matchRuleCount) match rules")
    }
  }
}
