import CJacquard

/// A request to stay connected to one tag. It outlives links: after a lost link it reconnects. Releasing the last
/// reference to it, and to the tags, components and sequences that came from it, drops the link.
public final class Connection: Sendable {
  /// The identifier that was given to connect.
  public let identifier: String
  /// The manager of this connection.
  public let manager: Manager
  let handle: Handle
  private let ending = Ending()

  init(_ handle: Handle, identifier: String, manager: Manager) throws(JacquardError) {
    self.handle = handle
    self.identifier = identifier
    self.manager = manager
    try register(ending) { jacquard_connection_on_state(handle.pointer, { receive($0, $1) }, $0, release, nil) }
  }

  /// The connection of an event; nil if there is none, or if it has ended.
  convenience init?(retaining pointer: OpaquePointer?, _ identifier: String, _ manager: Manager?) {
    guard let manager, let pointer, let kept = jacquard_connection_ref(pointer) else { return nil }
    let handle = Handle(kept) { jacquard_connection_unref($0) }
    try? self.init(handle, identifier: identifier, manager: manager)
  }

  /// The connection's state: the current one, then each change. The state of the phase `.disconnected` is the last.
  public func states(buffering: Buffering = .everything) throws(JacquardError) -> Events<ConnectionState> {
    let connection = Weak(self)
    return try subscribe(
      self, buffering, { ConnectionState($0, connection.object) }, isLast: { $0.phase == .disconnected }
    ) {
      jacquard_connection_on_state(handle.pointer, { receive($0, $1) }, $0, release, $1)
    }
  }

  /// Waits for the connected tag, which is another one after each reconnection.
  ///
  /// - Throws: the error that ended the connection; `.closed` after `disconnect()`
  public func tag() async throws(JacquardError) -> Tag {
    for try await state in try states() {
      if let tag = state.tag { return tag }
      if state.phase == .disconnected, let reason = state.reason { throw reason }
    }
    throw JacquardError(Task.isCancelled ? .cancelled : .closed)
  }

  /// Ends the connection and drops the link, unless other programs share the tag. Returns when the link is down. A tag
  /// that is bound stays bound, but is no longer wanted at the next start.
  public func disconnect() async throws(JacquardError) {
    let states: Events<ConnectionState>
    do { states = try self.states() } catch { if error.code == .closed { return } else { throw error } }
    try check(jacquard_connection_disconnect(handle.pointer))
    for try await _ in states {}
  }

  /// The phase, as in the last state delivered.
  public var phase: Phase {
    Phase(rawValue: UInt32(max(0, jacquard_connection_get_phase(handle.pointer))))
  }

  /// Signal strength of the tag's last advertisement in dBm; nil if unknown.
  public var rssi: Int? {
    var rssi: Int32 = 0
    return jacquard_connection_get_rssi(handle.pointer, &rssi) < 0 ? nil : known(rssi: rssi)
  }

  /// The counts of events that the connection has received and dropped since it was created.
  public func counters() throws(JacquardError) -> Counters {
    var counters = sized(jacquard_counters.self)
    try check(jacquard_connection_get_counters(handle.pointer, &counters))
    return Counters(counters)
  }

  /// Registers for events that end with this connection.
  func events<C, Element>(
    _ buffering: Buffering, _ convert: @escaping @Sendable (C) -> Element?,
    unref: @escaping @Sendable (OpaquePointer) -> Void = { jacquard_subscription_unref($0) },
    _ start: (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(JacquardError) -> Events<Element> {
    let events = try subscribe(self, buffering, convert, unref: unref) { start(handle.pointer, $0, $1) }
    ending.add(events.channel)
    return events
  }
}

/// Ends the sequences of a connection with the reason for its end.
private final class Ending: Context, @unchecked Sendable {
  private struct State {
    var sequences: [Weak<Context>] = []
    /// nil before the end.
    var end: JacquardError??
  }

  private let state = Lock(State())

  func add(_ sequence: Context) {
    let end = state.withLock { state in
      if state.end == nil {
        if state.sequences.count & 0xf == 0 { state.sequences.removeAll { $0.object == nil } }
        state.sequences.append(Weak(sequence))
      }
      return state.end
    }
    if let end { sequence.finish(end) }
  }

  override func receive(_ event: UnsafeRawPointer) {
    let state = event.assumingMemoryBound(to: jacquard_connection_state.self).pointee
    guard Phase(rawValue: state.phase) == .disconnected else { return }
    finish(JacquardError(state.reason))
  }

  override func ended() {
    finish(nil)
  }

  override func finish(_ error: JacquardError?) {
    let sequences = state.withLock { state in
      guard state.end == nil else { return [] as [Weak<Context>] }
      state.end = .some(error)
      defer { state.sequences = [] }
      return state.sequences
    }
    sequences.forEach { $0.object?.finish(error) }
  }
}

/// The state of a connection.
public struct ConnectionState: Sendable {
  /// The phase.
  public let phase: Phase
  /// The last completed step, 0 to `totalSteps`.
  public let step: Int
  /// The number of steps: 14.
  public let totalSteps: Int
  /// Number of the current attempt, from 1; starts again at 1 after a lost link.
  public let attempt: Int
  /// The tag when connected, another one after each reconnection; else nil.
  public let tag: Tag?
  /// Why the last attempt or link ended; nil at first, when connected, and after `Connection.disconnect()`.
  public let reason: JacquardError?
  /// Why the last link ended.
  public let disconnectReason: DisconnectReason
  /// The tag's identifier.
  public let identifier: String
  /// The process of the service that gives this program the tag; nil if the program has the link itself.
  public let serviceProcess: Int32?

  init(_ state: jacquard_connection_state, _ connection: Connection?) {
    phase = Phase(rawValue: state.phase)
    step = Int(state.step)
    totalSteps = Int(state.total_steps)
    attempt = Int(state.attempt)
    tag = connection.flatMap { Tag(retaining: state.tag, $0) }
    reason = JacquardError(state.reason)
    disconnectReason = DisconnectReason(rawValue: state.disconnect_reason)
    identifier = text(state.identifier)
    serviceProcess = state.service_process == 0 ? nil : state.service_process
  }

  init(_ state: jacquard_connection_state, _ manager: Manager?) {
    self.init(state, state.tag == nil ? nil : Connection(retaining: state.connection, text(state.identifier), manager))
  }
}

/// The counts of events that a connection has received and dropped since it was created: see `jacquard_counters`.
public struct Counters: Sendable, Hashable {
  /// Links that were connected.
  public let links: UInt32
  /// Notification packets that could be decoded.
  public let notifications: UInt64
  /// Response packets that matched a request.
  public let responses: UInt64
  /// Packets of the raw data channel.
  public let rawPackets: UInt64
  /// Values that are out of order, truncated, oversized or malformed.
  public let droppedFragments: UInt64
  /// Notifications that could not be decoded or exceeded a queue.
  public let droppedNotifications: UInt64
  /// Responses that could not be decoded, or were late, duplicated or unsolicited.
  public let droppedResponses: UInt64
  /// Values that BlueZ repeated because another program is subscribed to them.
  public let droppedCopies: UInt64
  /// Values delivered although they may be copies.
  public let doubtfulValues: UInt64
  /// Times that bluetoothd did not respond for 5 s or longer while the link stayed up.
  public let interruptions: UInt64

  init(_ counters: jacquard_counters) {
    links = counters.links
    notifications = counters.notifications
    responses = counters.responses
    rawPackets = counters.raw_packets
    droppedFragments = counters.dropped_fragments
    droppedNotifications = counters.dropped_notifications
    droppedResponses = counters.dropped_responses
    droppedCopies = counters.dropped_copies
    doubtfulValues = counters.doubtful_values
    interruptions = counters.interruptions
  }
}
