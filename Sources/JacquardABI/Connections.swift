import CJacquard
import Jacquard
import Synchronization

/// A connection as C sees it, with the ticket of its latest tag.
final class ConnectionHandle: HandleObject, @unchecked Sendable {
  let manager: ManagerHandle
  let identifier: TagIdentifier
  let registrations = RegistrationGroup()
  fileprivate(set) var handle: OpaquePointer?

  /// On the loop.
  private var connection: Connection?
  private let latestTag = Mutex(LatestTag())

  private struct LatestTag {
    var tag: Tag?
    var handle: OpaquePointer?
    var isOver = false
  }

  init(_ manager: ManagerHandle, _ identifier: TagIdentifier) {
    self.manager = manager
    self.identifier = identifier
  }

  func close() {
    manager.release(identifier, by: self)
    registrations.endAll()
    manager.post { [self] _ in
      connection?.disconnect()
      connection = nil
    }
    latestTag.withLock { $0.isOver = true }
    replaceTag(with: nil)
  }

  func disconnect() {
    manager.post { [self] _ in connection?.disconnect() }
  }

  fileprivate func start(
    _ manager: Manager, _ options: Connection.Options, _ onState: jacquard_connection_callback?,
    _ registration: Registration
  ) {
    guard !registration.hasEnded, let connection = try? manager.connect(identifier, options) else { return }
    self.connection = connection
    // The connection winds down on the loop after its handle is gone.
    connection.states.add { [weak self] state in
      if let self, state.phase == .disconnected { self.manager.release(identifier, by: self) }
    }
    if let onState { _ = deliverStates(of: connection, to: onState, registration) }
  }

  /// The ticket of a state's tag. The last one stays valid, though stale, until another tag takes its place.
  private func handle(of tag: Tag) -> OpaquePointer? {
    latestTag.withLock { $0.tag === tag ? $0.handle : nil } ?? replaceTag(with: tag)
  }

  @discardableResult
  private func replaceTag(with new: Tag?) -> OpaquePointer? {
    let (old, handle): (OpaquePointer?, OpaquePointer?) = latestTag.withLock { latest in
      let old = latest.handle
      let new = latest.isOver ? nil : new
      latest.tag = new
      latest.handle = new.flatMap { Handles.add(TagHandle($0, self)) }
      return (old, latest.handle)
    }
    Handles.release(old, as: TagHandle.self)
    return handle
  }

  /// Events of the connection, from whichever link it has.
  func subscribe(
    _ registration: Registration, _ output: UnsafeMutablePointer<OpaquePointer?>?,
    _ attach: @escaping (Connection) -> () -> Void
  ) throws {
    try manager.subscribe(registration, output) { [self] _ in
      guard let connection else { return {} }
      return attach(connection)
    }
  }

  fileprivate func deliverStates(
    of connection: Connection, to callback: @escaping jacquard_connection_callback, _ registration: Registration
  ) -> () -> Void {
    let deliver = { [self] (state: ConnectionState) in
      withC(state) { copy in registration.call { callback(copy, $0) } }
    }
    let observation = connection.states.add(deliver)
    deliver(connection.state)
    return { observation.cancel() }
  }

  private func withC(_ state: ConnectionState, _ body: (UnsafePointer<jacquard_connection_state>) -> Void) {
    withCError(state.reason) { reason in
      var copy = jacquard_connection_state()
      copy.manager = manager.handle
      copy.connection = handle
      copy.tag = state.tag.flatMap { handle(of: $0) }
      copy.phase = jacquard_phase(state.phase.rawValue)
      copy.step = state.step
      copy.total_steps = ConnectionState.totalSteps
      copy.attempt = state.attempt
      copy.reason = reason
      body(&copy)
    }
  }
}

@_cdecl("jacquard_manager_connect") @implementation
public func jacquard_manager_connect(
  _ manager: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ options: UnsafePointer<jacquard_connect_options>?, _ onState: jacquard_connection_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ connection: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { manager in
    let output = try required(connection, "connection")
    let text = try required(try Arguments.string(identifier, "identifier"), "identifier")
    guard let identifier = TagIdentifier(text: text) else { throw JacquardError.invalid("identifier is not a UUID") }
    let chosen =
      try Arguments.options(options, \.struct_size).map(Connection.Options.init) ?? Connection.Options()
    try manager.checkOpen()

    let handle = ConnectionHandle(manager, identifier)
    try manager.claim(identifier, for: handle)
    guard let ticket = Handles.add(handle) else {
      manager.release(identifier, by: handle)
      throw JacquardError(.system, "There are too many handles.")
    }
    handle.handle = ticket
    output.pointee = ticket

    let registration = Registration(userData, destroy, in: manager.registrations, handle.registrations)
    manager.post { handle.start($0, chosen, onState, registration) }
    return 0
  }
}

extension Connection.Options {
  fileprivate init(_ given: jacquard_connect_options) throws {
    self.init()
    switch given.timeout_ms {
    case 0: break
    case .max: timeout = nil
    case let milliseconds: timeout = .milliseconds(Int64(milliseconds))
    }
    waitForAdapter = try Arguments.flag(given.wait_for_adapter, "wait_for_adapter")
  }
}

@_cdecl("jacquard_connection_on_state") @implementation
public func jacquard_connection_on_state(
  _ connection: OpaquePointer?, _ callback: jacquard_connection_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    try handle.manager.checkOpen()
    let registration = Registration(userData, destroy, in: handle.manager.registrations, handle.registrations)
    try handle.subscribe(registration, subscription) { handle.deliverStates(of: $0, to: callback, registration) }
    return 0
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
public func jacquard_phase_name(_ phase: jacquard_phase) -> UnsafePointer<CChar>? { phaseNames[phase.rawValue] }
