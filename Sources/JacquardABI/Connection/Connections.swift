import CJacquard
import EventLoop
import Jacquard
import Synchronization

/// The object behind a `jacquard_connection`, with the handle of its latest tag.
final class ConnectionHandle: HandleObject {
  let manager: ManagerHandle
  /// Nil while the tag is searched for.
  private let foundIdentifier: Locked<TagIdentifier?>
  let registrations = RegistrationGroup()
  private let issued = IssuedHandle()
  private let connection: LoopVariable<Connection?>
  private let isReleased: LoopVariable<Bool>
  private let tag = LatestHandle<Tag>()
  private let gear = LatestHandle<Component>()
  /// The gear of the current link's tag, if the tag has a handle.
  private let attachedGear: LoopVariable<AttachedGear?>
  let statistics = Statistics()
  private let phase = Atomic(Phase.preparing.rawValue)
  private let closed = Atomic(false)
  private let ending = Atomic(false)

  /// - Parameter identifier: nil: the tag is searched for.
  init(_ manager: ManagerHandle, _ identifier: TagIdentifier?) {
    self.manager = manager
    foundIdentifier = Locked(identifier)
    connection = LoopVariable(nil, of: manager.loop)
    isReleased = LoopVariable(false, of: manager.loop)
    attachedGear = LoopVariable(nil, of: manager.loop)
  }

  var handle: OpaquePointer? { issued.pointer }
  var identifier: TagIdentifier? { foundIdentifier.withLock { $0 } }

  /// Called when the tag that was searched for is reserved.
  func isFor(_ identifier: TagIdentifier) { foundIdentifier.withLock { $0 = identifier } }

  /// Returns its handle, if no other connection of the manager has reserved the tag.
  func register() throws -> OpaquePointer {
    if let identifier { try manager.reserve(identifier, for: self) }
    do {
      let pointer = try Handles.issue(self)
      issued.set(pointer)
      return pointer
    } catch {
      manager.release(by: self)
      throw error
    }
  }

  /// The last reference was released, on any thread.
  var isClosed: Bool { closed.load(ordering: .acquiring) }
  /// The caller has ended it, on any thread.
  var isEnding: Bool { ending.load(ordering: .acquiring) }

  func close() {
    closed.store(true, ordering: .releasing)
    ending.store(true, ordering: .releasing)
    registrations.endAll()
    manager.post { [self] _ in
      isReleased.value = true
      connection.value?.end(.closed)
      connection.value = nil
    }
    // Last, so that this connection is already ending when the loop begins the next connection to the tag.
    manager.release(by: self)
    tag.end()
    gear.end()
  }

  func disconnect() {
    ending.store(true, ordering: .releasing)
    manager.noLongerWant(self)
    manager.post { [self] _ in connection.value?.end(.disconnected) }
  }

  /// Call on the loop. `onState` receives all states, including the first, through the registration.
  func start(
    _ begin: (ConnectionHandle) throws -> Connection,
    _ onState: (callback: jacquard_connection_callback, registration: Registration)? = nil
  ) {
    // It fails only when the manager has ended, in which case nothing more is reported.
    guard !isReleased.value, let connection = try? begin(self) else { return }
    self.connection.value = connection
    // The connection shuts down on the loop after its handle was released.
    connection.states.add { [weak self] in self?.follow($0) }
    connection.gear.changes.add { [weak self] in self?.follow($0) }
    manager.connections.value.add(connection, of: self)
    guard let onState, !onState.registration.hasEnded else { return }
    _ = attach(onState.registration, to: \.states, latest: \.state) { [self] state, userData in
      withC(state) { onState.callback($0, userData) }
    }
  }

  private func follow(_ state: ConnectionState) {
    phase.store(state.phase.rawValue, ordering: .releasing)
    if state.phase == .disconnected { manager.release(by: self) }
    guard state.tag == nil else { return }
    attachedGear.value?.set(nil, on: manager.loop)
    attachedGear.value = nil
  }

  private func follow(_ gear: Component?) { attachedGear.value?.set(gear, on: manager.loop) }

  /// Call from any thread. A manager that has ended has no connections.
  fileprivate var currentPhase: UInt32 {
    manager.isClosed ? Phase.disconnected.rawValue : phase.load(ordering: .acquiring)
  }

  fileprivate func subscribe(
    _ callback: @escaping jacquard_connection_callback, _ userData: UnsafeMutableRawPointer?,
    _ destroy: jacquard_destroy_callback?, _ output: UnsafeMutablePointer<OpaquePointer?>?
  ) throws -> CInt {
    try subscribe(userData, destroy, output, to: \.states, latest: \.state) { [self] state, userData in
      withC(state) { callback($0, userData) }
    }
  }

  func handle(of component: Component) -> OpaquePointer? {
    gear.handle(for: component) { ComponentHandle($0, manager) }
  }

  /// All events of a connection are delivered to C through this function, whichever link they come from. `latest` is
  /// delivered first to a new subscriber.
  func subscribe<Event>(
    _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
    _ output: UnsafeMutablePointer<OpaquePointer?>?, to observers: @escaping @Sendable (Connection) -> Observers<Event>,
    latest: @escaping @Sendable (Connection) -> Event? = { _ in nil },
    _ deliver: @escaping @Sendable (Event, UnsafeMutableRawPointer?) -> Void
  ) throws -> CInt {
    try manager.checkOpen()
    let registration = Registration(userData, destroy, in: manager.registrations, registrations)
    try manager.subscribe(registration, output) { [self] _ in
      attach(registration, to: observers, latest: latest, deliver)
    }
    return 0
  }

  /// Starts work of the connection that may continue over several links.
  func request<Answer>(
    _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
    _ output: UnsafeMutablePointer<OpaquePointer?>?,
    _ perform: @escaping @Sendable (Registration) async throws -> Answer,
    _ deliver: @escaping @Sendable (Result<Answer, JacquardError>, UnsafeMutableRawPointer?) -> Void
  ) throws -> CInt {
    try manager.checkOpen()
    let registration = Registration(userData, destroy, in: manager.registrations, registrations)
    return try manager.request(registration, output, perform, deliver)
  }

  /// Call on the loop.
  func current() throws(JacquardError) -> Connection {
    guard let connection = connection.value else { throw JacquardError(.closed, JacquardError.Code.closed.text) }
    return connection
  }

  /// Call on the loop. Returns a closure that detaches.
  private func attach<Event>(
    _ registration: Registration, to observers: (Connection) -> Observers<Event>, latest: (Connection) -> Event?,
    _ deliver: @escaping (Event, UnsafeMutableRawPointer?) -> Void
  ) -> () -> Void {
    guard let connection = connection.value else { return {} }
    let receive = { (event: Event) in registration.call { deliver(event, $0) } }
    // A connection that has ended delivers nothing more and would retain the registration.
    let observation = connection.state.phase == .disconnected ? nil : observers(connection).add(receive)
    if let event = latest(connection) { receive(event) }
    return { observation?.cancel() }
  }

  fileprivate func withC(_ state: ConnectionState, _ body: (UnsafePointer<jacquard_connection_state>) -> Void) {
    manager.withC(ConnectionList.Event(state: state, identifier: identifier, owner: self), body)
  }

  fileprivate func handle(of tag: Tag) -> OpaquePointer? {
    self.tag.handle(for: tag) { [self] tag in
      let gear = AttachedGear()
      if let known = connection.value?.gear.gear { gear.set(known, on: manager.loop) }
      attachedGear.value = gear
      return TagHandle(tag, gear, manager)
    }
  }
}

extension ManagerHandle {
  fileprivate func withC(
    _ event: ConnectionList.Event, _ body: (UnsafePointer<jacquard_connection_state>) -> Void
  ) {
    let strings = CStrings()
    let state = event.state
    // It may have been closed since the event, by an observer that was called before this one.
    let owner = event.owner.flatMap { $0.isClosed ? nil : $0 }
    withCError(state.reason) { reason in
      var copy = jacquard_connection_state()
      copy.manager = handle
      copy.connection = owner?.handle
      copy.tag = state.tag.flatMap { owner?.handle(of: $0) }
      copy.phase = state.phase.rawValue
      copy.step = state.step
      copy.total_steps = ConnectionState.totalSteps
      copy.attempt = state.attempt
      copy.reason = reason
      copy.disconnect_reason = state.disconnectReason.rawValue
      copy.identifier = strings(event.identifier?.text ?? "")
      copy.service_process = state.serviceProcess
      body(&copy)
    }
    withExtendedLifetime(strings) {}
  }
}

@_cdecl("jacquard_manager_on_connection") @implementation
public func jacquard_manager_on_connection(
  _ manager: OpaquePointer?, _ callback: jacquard_connection_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    try handle.checkOpen()
    let registration = Registration(userData, destroy, in: handle.registrations)
    try handle.subscribe(registration, subscription) { _ in
      let deliver = { (event: ConnectionList.Event) in
        handle.withC(event) { copy in registration.call { callback(copy, $0) } }
      }
      // Take a snapshot first, because a callback may end connections or begin others.
      let connections = handle.connections.value
      for event in connections.current { deliver(event) }
      let observation = connections.changes.add(deliver)
      return { observation.cancel() }
    }
    return 0
  }
}

@_cdecl("jacquard_connection_get_phase") @implementation
public func jacquard_connection_get_phase(_ connection: OpaquePointer?) -> CInt {
  on(connection, ConnectionHandle.self) { CInt($0.currentPhase) }
}

@_cdecl("jacquard_connection_on_state") @implementation
public func jacquard_connection_on_state(
  _ connection: OpaquePointer?, _ callback: jacquard_connection_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(callback, userData, destroy, subscription)
  }
}

@_cdecl("jacquard_connection_ref") @implementation
public func jacquard_connection_ref(_ connection: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(connection, as: ConnectionHandle.self)
}

@_cdecl("jacquard_connection_unref") @implementation
public func jacquard_connection_unref(_ connection: OpaquePointer?) -> OpaquePointer? {
  Handles.release(connection, as: ConnectionHandle.self)
  return nil
}

@_cdecl("jacquard_connection_disconnect") @implementation
public func jacquard_connection_disconnect(_ connection: OpaquePointer?) -> CInt {
  on(connection, ConnectionHandle.self) {
    $0.disconnect()
    return 0
  }
}

private let phaseNames = StaticCStrings(Phase.allCases.map { ($0.rawValue, $0.name) }, fallback: "invalid")

@_cdecl("jacquard_phase_name") @implementation
public func jacquard_phase_name(_ phase: UInt32) -> UnsafePointer<CChar>? { phaseNames[phase] }
