import CJacquard
import EventLoop
import Jacquard
import Synchronization

/// The object behind a `jacquard_manager`: the core, its loop, and the thread that may run the loop.
final class ManagerHandle: ThreadWork, HandleObject, @unchecked Sendable {
  let manager: LoopBound<Manager>
  let registrations = RegistrationGroup()
  /// Registrations of scans only.
  let scans: RegistrationGroup
  let scanning: LoopBound<ScanningState>
  let connections: LoopBound<ConnectionList>
  private let issued = IssuedHandle()

  let loop: EventLoop
  private let turn = ConditionLock(Turn())
  private let closed = Atomic(false)
  /// The connection of each tag that has one.
  private let claims = Locked<[TagIdentifier: ConnectionHandle]>([:])
  let hasRestoreID: Bool
  let restorations: LoopBound<RestorationList>
  /// Tags that the caller has disconnected, in case the manager ends before its loop processes the disconnect.
  private let unwanted = Locked<Set<TagIdentifier>>([])

  private struct Turn {
    /// Set by a thread that dispatches in embedded mode or closes the loop.
    var isTaken = false
    var thread: LoopThread?
  }

  init(_ options: Manager.Options, autoConnect: Bool, on loop: EventLoop) throws {
    self.loop = loop
    manager = LoopBound(giving: try Manager(options, loop: loop), to: loop)
    let scans = RegistrationGroup()
    self.scans = scans
    scanning = LoopBound(giving: ScanningState(of: scans), to: loop)
    connections = LoopBound(giving: ConnectionList(), to: loop)
    restorations = LoopBound(giving: RestorationList(), to: loop)
    hasRestoreID = options.restoreID != nil
    super.init()
    if let level = StandardErrorLog.level { post { _ = $0.addLog(upTo: level, StandardErrorLog.write) } }
    post { $0.start() }
    if hasRestoreID { loop.post { [self] in restore(connecting: autoConnect) } }
  }

  func register() throws -> OpaquePointer {
    let pointer = try Handles.issue(self)
    issued.set(pointer)
    return pointer
  }

  /// The manager's own handle, for structs that contain it.
  var handle: OpaquePointer? { issued.pointer }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  func checkOpen() throws {
    guard !isClosed else { throw JacquardError(.closed, "The manager has been closed.") }
  }

  /// Runs `work` on the loop, after everything posted earlier; does nothing after the manager has ended.
  func post(_ work: @escaping @Sendable (Manager) -> Void) {
    loop.post { [manager] in work(manager.value) }
  }

  /// Reserves a tag for one connection at a time. Throws `cancelled` if the caller has ended the connection; it then
  /// reserves no tag.
  func reserve(_ identifier: TagIdentifier, for connection: ConnectionHandle) throws(JacquardError) {
    let refusal = claims.withLock { claims -> JacquardError? in
      guard !connection.isEnding else { return .cancelled }
      guard claims[identifier] == nil else {
        return JacquardError(.alreadyConnected, JacquardError.Code.alreadyConnected.text)
      }
      claims[identifier] = connection
      connection.isFor(identifier)
      return nil
    }
    if let refusal { throw refusal }
    _ = unwanted.withLock { $0.remove(identifier) }
  }

  /// Notes that the tag is no longer wanted. Waits for a reservation that is being made.
  func noLongerWant(_ connection: ConnectionHandle) {
    guard hasRestoreID, let identifier = claims.withLock({ _ in connection.identifier }) else { return }
    _ = unwanted.withLock { $0.insert(identifier) }
  }

  func release(by connection: ConnectionHandle) {
    claims.withLock { claims in
      for (identifier, holder) in claims where holder === connection { claims[identifier] = nil }
    }
  }

  /// The handle of the connection to a tag, with one more reference.
  func connection(to identifier: TagIdentifier) throws -> OpaquePointer {
    let connection = claims.withLock { $0[identifier] }
    guard let pointer = Handles.reference(connection?.handle, as: ConnectionHandle.self) else {
      // A manager that ends has no connections either.
      try checkOpen()
      throw JacquardError(.notFound, "The manager has no connection to this tag.", advice: "Connect to the tag first.")
    }
    return pointer
  }

  var descriptor: CInt { loop.fileDescriptor }

  func dispatch() throws {
    let taken = turn.withLock { turn in
      guard !turn.isTaken, turn.thread == nil else { return false }
      turn.isTaken = true
      return true
    }
    guard taken else { throw JacquardError(.misuse, Self.dispatchIsRunning) }
    defer { giveTurnBack() }
    try perform {
      do throws(SystemError) {
        try loop.dispatch()
      } catch {
        guard !loop.isClosed else { return }
        throw JacquardError(error)
      }
      // The manager was released inside a callback.
      if loop.isClosed { loop.drain() }
    }
  }

  /// An exception that unwinds libdbus and Swift frames leaves both in an undefined state.
  private static let dispatchIsRunning =
    "Another dispatch is running, or a C++ exception or longjmp left a callback during an earlier dispatch."

  func startThread() throws {
    let error = turn.withLock { [loop] turn -> JacquardError? in
      guard !turn.isTaken, turn.thread == nil else { return JacquardError(.misuse, "The loop is already running.") }
      do throws(SystemError) {
        turn.thread = try LoopThread(loop)
        return nil
      } catch {
        return JacquardError(error)
      }
    }
    if let error { throw error }
  }

  func close() {
    guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    registrations.endAll()
    let thread = turn.withLock { $0.thread }
    if loop.isOnLoop {
      // Inside a callback: the dispatch that runs it finishes after the callback has returned.
      closeCore()
      thread?.stop()
      return
    }
    thread?.stop()
    turn.withLock(when: { !$0.isTaken }) { $0.isTaken = true }
    closeCore()
    loop.drain()
    giveTurnBack()
  }

  private func closeCore() {
    restorations.value.end()
    connections.value.end()
    scanning.value.end()
    manager.value.close(noLongerWanted: unwanted.withLock { $0 })
    loop.close()
  }

  override func threadEnds() {
    loop.endUnwoundDispatch()
    giveTurnBack()
  }

  private func giveTurnBack() { turn.announce { $0.isTaken = false } }
}

extension JacquardError {
  init(_ error: SystemError) {
    self.init(.system, error.description)
    systemErrno = error.code
  }
}

@_cdecl("jacquard_manager_new") @implementation
public func jacquard_manager_new(
  _ options: UnsafePointer<jacquard_manager_options>?, _ manager: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  makeManager(options, manager) { () throws(SystemError) in try EventLoop() }
}

/// `jacquard_manager_new` with a loop of the caller's choice, such as one on virtual time.
package func makeManager(
  _ options: UnsafePointer<jacquard_manager_options>?, _ manager: UnsafeMutablePointer<OpaquePointer?>?,
  on makeLoop: () throws(SystemError) -> EventLoop
) -> CInt {
  status {
    let manager = try required(manager, "manager")
    var chosen = Manager.Options()
    chosen.sharing = true
    var autoConnect = false
    if let given = try Arguments.options(options) {
      chosen.busAddress = try Arguments.string(given.bus_address, "bus_address")
      chosen.adapterAddress = try Arguments.address(given.adapter, "adapter")
      chosen.stateDirectory = try Arguments.directory(given.state_directory, "state_directory")
      chosen.restoreID = try Arguments.string(given.restore_id, "restore_id")
      try Manager.check(restoreID: chosen.restoreID)
      autoConnect = try Arguments.flag(given.auto_connect, "auto_connect")
      chosen.exclusive = try Arguments.flag(given.exclusive, "exclusive")
      guard !autoConnect || chosen.restoreID != nil else {
        throw JacquardError.invalid("auto_connect requires a restore_id.")
      }
    }
    let loop: EventLoop
    do throws(SystemError) {
      loop = try makeLoop()
    } catch {
      throw JacquardError(error)
    }
    manager.pointee = try ManagerHandle(chosen, autoConnect: autoConnect, on: loop).register()
    return 0
  }
}

@_cdecl("jacquard_manager_ref") @implementation
public func jacquard_manager_ref(_ manager: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(manager, as: ManagerHandle.self)
}

@_cdecl("jacquard_manager_unref") @implementation
public func jacquard_manager_unref(_ manager: OpaquePointer?) -> OpaquePointer? {
  Handles.release(manager, as: ManagerHandle.self)
  return nil
}

@_cdecl("jacquard_manager_get_fd") @implementation
public func jacquard_manager_get_fd(_ manager: OpaquePointer?) -> CInt {
  on(manager, ManagerHandle.self) { $0.descriptor }
}

@_cdecl("jacquard_manager_dispatch") @implementation
public func jacquard_manager_dispatch(_ manager: OpaquePointer?) -> CInt {
  on(manager, ManagerHandle.self) {
    try $0.dispatch()
    return 0
  }
}

@_cdecl("jacquard_manager_start") @implementation
public func jacquard_manager_start(_ manager: OpaquePointer?) -> CInt {
  on(manager, ManagerHandle.self) {
    try $0.startThread()
    return 0
  }
}
