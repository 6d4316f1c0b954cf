import EventLoop

/// Where a source of links reports what it learns of a tag. It outlives links and sources.
final class TagReports {
  let states = Observers<ConnectionState>()
  /// The number of the connection's current attempt, whichever source makes it: from 1, and again after CONNECTED.
  private(set) var attempt: UInt32 = 1
  private var isConnected = false
  let notifications: Notifications
  let gear = GearMonitor()
  let name = NameMonitor()
  let reservation = TagReservation()
  let bond: BondRequirement
  /// The connection was established before, or a service has ended that was responsible for it. Then another program
  /// that has the tag is a reason to wait; a first connection ends.
  var hadLink = false
  private let core: Core
  /// The time since which another program has had the tag.
  private var takenSince: LoopInstant?

  init(_ core: Core, _ notifications: Notifications, _ bond: BondRequirement) {
    self.core = core
    self.notifications = notifications
    self.bond = bond
  }

  /// - Parameter count: the number of attempts that have ended; a service may have made several since its last message.
  func attemptHasEnded(_ count: UInt32 = 1) {
    attempt = (isConnected ? 0 : attempt) &+ count
    isConnected = false
  }

  /// Sends a state, with the number of the current attempt.
  func report(_ state: ConnectionState) {
    isConnected = state.phase == .connected
    if isConnected { hadLink = true }
    if state.reason?.code == .inUse {
      takenSince = takenSince ?? core.loop.now
    } else if state.reason != nil || isConnected {
      // Each attempt begins with a state without a reason, which does not say that the tag is free.
      takenSince = nil
    }
    var state = state
    state.attempt = attempt
    states.send(state)
  }

  /// Sent when another program asks for the tag through the service.
  let requests = Observers<Void>()

  /// Whether the error ends the connection.
  func isFinal(_ error: JacquardError) -> Bool {
    error.isCancellation || error.code.endsConnections && !error.isSuspicion && !(error.code == .inUse && hadLink)
  }

  /// Another program has the tag, as far as is known.
  var isTaken: Bool { takenSince != nil }

  /// The shortest pause before the next attempt.
  var shortestPause: Duration {
    takenSince.flatMap { core.deadlines.retryPauses.taken.value(after: $0.duration(to: core.loop.now)) } ?? .zero
  }

  /// Sent when bluetoothd had not responded while the link stayed up.
  let interruptions = Observers<Void>()

  /// The link is the same, so only this shows that values may be missing: the kernel keeps few of them for a bluetoothd
  /// that hangs.
  func interrupted() {
    statistics.countInterruption()
    interruptions.send(())
  }

  /// Posted to the loop after the subscriptions that a program begins in the call that reports the link.
  func linkIsReady(_ tag: Tag, _ loop: EventLoop) {
    loop.postHere { [notifications] in
      if !tag.isStale { notifications.linkIsReady() }
    }
  }

  /// Forgets what the tag has reported on the link that has ended.
  func linkIsLost() {
    gear.linkIsLost()
    notifications.linkBegins()
  }

  var statistics: Statistics { notifications.statistics }

  /// Called when the connection has ended.
  func end() {
    notifications.removeAllObservers()
    interruptions.removeAll()
    requests.removeAll()
    gear.changes.removeAll()
    gear.modes.removeAll()
    name.end()
  }
}
