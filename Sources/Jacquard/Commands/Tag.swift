import EventLoop
import JacquardWire

/// A tag for the duration of one link.
public final class Tag {
  /// The tag's report about itself, made while connecting; stays available after the link has ended.
  public let info: TagInfo
  let notifications: Notifications
  let names: NameMonitor
  /// Weak, because it retains components, which retain this tag.
  private(set) weak var gear: GearMonitor?
  let link: Link

  init(
    _ info: TagInfo, _ link: Link, _ notifications: Notifications, _ names: NameMonitor, _ gear: GearMonitor
  ) {
    self.info = info
    self.link = link
    self.notifications = notifications
    self.names = names
    self.gear = gear
  }

  /// The tag itself as a component.
  public var component: Component { Component(ComponentInfo(tag: info), of: self) }

  /// Reads the battery level. `Notifications.battery` sends the levels that the tag reports by itself.
  public func readBattery(deadline: Duration? = nil) async throws(JacquardError) -> Battery {
    try await send(Battery.read, deadline)
  }

  static func setQueueDepth(_ depth: UInt32) -> TagCommand<Void> {
    TagCommand(.configWrite) {
      $0.configWrite.bleConfig.notifQueueDepth = depth
    } answer: { _ in
    }
  }

  /// Sends a request unchanged except for its ID; an error status is returned like any other response.
  public func exchange(_ request: WireRequest, deadline: Duration? = nil) async throws(JacquardError) -> WireResponse {
    try await inTurn(deadline) { turn throws(JacquardError) in try await turn.exchange(request) }
  }

  /// Sends a packet on the raw data channel; returns when it has been written.
  public func sendRaw(_ packet: [UInt8]) async throws(JacquardError) {
    try await inTurn(nil) { turn throws(JacquardError) in
      guard (1...FragmentFormat.longestPacket).contains(packet.count) else {
        throw JacquardError.invalid("The packet is not 1 to \(FragmentFormat.longestPacket) bytes long.")
      }
      guard link.isIntact else { throw JacquardError(.staleTag, JacquardError.Code.staleTag.text) }
      try await turn.value(of: link.rawChannel.send(packet))
    }
  }

  func send<Answer>(_ command: TagCommand<Answer>, _ deadline: Duration?) async throws(JacquardError) -> Answer {
    try await inTurn(deadline) { turn throws(JacquardError) in try await turn.send(command) }
  }

  /// Runs a command of one or more requests when its turn comes. Errors of the command are also reported in its turn,
  /// so that commands complete in the order in which they were called.
  ///
  /// - Parameter deadline: the caller's time limit, starting when the first request has been written; nil: the tag's
  ///   time limit for each attempt of each request.
  func inTurn<Answer>(_ deadline: Duration?, _ body: (CommandTurn) async throws(JacquardError) -> Answer)
    async throws(JacquardError) -> Answer
  {
    do throws(JacquardError) {
      return try await link.commands.inTurn(limit: deadline, body)
    } catch {
      // An update unloads the modules.
      guard link.isUpdating, error.isOfUnloadedModule else { throw error }
      throw JacquardError(.updateInProgress, JacquardError.Code.updateInProgress.text)
    }
  }

  /// Runs a command that only one program at a time may send, when its turn comes.
  func inTurn<Answer>(
    _ deadline: Duration?, reserving kind: ReservationKind,
    _ body: (CommandTurn) async throws(JacquardError) -> Answer
  ) async throws(JacquardError) -> Answer {
    try await inTurn(deadline) { turn throws(JacquardError) in
      let grant = try await link.reservation.take(kind, in: turn)
      defer { link.reservation.release(kind, grant) }
      return try await body(turn)
    }
  }

  /// Whether its link has ended.
  var isStale: Bool { link.life.hasEnded }
}
