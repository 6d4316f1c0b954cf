import CJacquard
import EventLoop
import Glibc

/// A program with one manager: its requests, and its use of the results.
final class Program {
  let number: Int
  unowned let stage: Stage
  unowned let life: Life
  let manager: OpaquePointer
  let loop: EventLoop
  let descriptor: Int32
  let hasRestoreID: Bool
  let sharing: Life.Sharing
  var connections: [ConnectionUse] = []
  var promises: [Promise] = []
  /// The last reference to the manager was released.
  private(set) var isEnded = false
  private(set) var stalledUntil: LoopInstant?
  private(set) var hasStoodStill = false

  private(set) var isDispatching = false
  /// The running callback.
  var inside: Promise?
  private var toBeDestroyed: [Promise] = []
  /// Actions for the next callbacks.
  private var reactions: [Action] = []

  init(
    _ number: Int, _ life: Life, _ manager: OpaquePointer, _ loop: EventLoop, hasRestoreID: Bool,
    _ sharing: Life.Sharing
  ) {
    self.number = number
    self.life = life
    stage = life.stage
    self.manager = manager
    self.loop = loop
    self.hasRestoreID = hasRestoreID
    self.sharing = sharing
    descriptor = jacquard_manager_get_fd(manager)
  }

  static func describe(_ error: UnsafePointer<jacquard_error>?) -> String {
    guard let error = error?.pointee else { return "-" }
    // Messages about the state file contain a folder that differs in each run.
    let isOfFile = error.code == JACQUARD_ERROR_STATE_FILE.rawValue
    let text = isOfFile ? "" : withoutProcess(String(cString: error.message))
    return "\(error.code)/\(error.tag_status)/\(error.att_code) \(text)"
  }

  /// Process IDs and the names of scratch directories differ in each run.
  static func withoutProcess(_ text: String) -> String {
    let text = text.replacing("process \(getpid())", with: "process")
    // Compiling the regular expression is slow, and most messages name no directory.
    guard text.contains("lives-") else { return text }
    return text.replacing(#/lives-\w{6}/#, with: "lives")
  }

  // MARK: Running

  /// The program is suspended; its timers and messages wait.
  func stall(for duration: Duration) {
    hasStoodStill = true
    stalledUntil = stage.time.now.advanced(by: duration)
  }

  var isStalled: Bool { stalledUntil != nil }

  func wake() {
    if let end = stalledUntil, end <= stage.time.now { stalledUntil = nil }
  }

  func checkCommands(after duration: Duration) {
    guard !life.plan.isEarlier else { return }
    for connection in connections { connection.commands?.check(after: duration) }
  }

  /// Ends the random actions.
  func calmDown() {
    stalledUntil = nil
    reactions = []
  }

  func dispatch() {
    isDispatching = true
    let status = jacquard_manager_dispatch(manager)
    isDispatching = false
    if status != 0, !isEnded { stage.fail("dispatch of program \(number) gave \(status)") }
    for promise in toBeDestroyed { promise.checkDestroyed() }
    toBeDestroyed = []
  }

  /// Expects `destroy` to run before this dispatch ends.
  func mustBeDestroyed(_ promise: Promise) { toBeDestroyed.append(promise) }

  func react(with action: Action) { reactions.append(action) }

  func react(inside promise: Promise) {
    guard !reactions.isEmpty, stage.failure == nil else { return }
    let action = reactions.removeFirst()
    stage.note("  inside #\(promise.number):")
    life.perform(action, by: self)
  }

  // MARK: Registrations

  typealias Register = (
    UnsafeMutableRawPointer?, @escaping jacquard_destroy_callback, UnsafeMutablePointer<OpaquePointer?>?
  ) -> CInt

  /// Registers a callback, with or without a handle for it.
  @discardableResult
  func register(
    _ kind: Promise.Kind, keeping: Bool = true, of connection: ConnectionUse? = nil, _ queue: CommandOrder? = nil,
    _ register: Register
  ) -> Promise? {
    let promise = Promise(life.nextNumber(), kind, self, connection, queue)
    var handle: OpaquePointer?
    let status =
      keeping ? register(promise.pointer, Promise.destroy, &handle) : register(promise.pointer, Promise.destroy, nil)
    stage.note("p\(number) registers #\(promise.number) \(kind.rawValue): \(status)")
    guard status == 0 else {
      if status > 0 || handle != nil || promise.destroyed > 0 || promise.calls > 0 {
        stage.fail("a registration that failed with \(status) has left something")
      }
      promise.wasRefused = true
      life.keep(promise)
      return nil
    }
    if keeping, handle == nil { stage.fail("no handle") }
    promise.handle = handle
    promise.references = keeping ? 1 : 0
    promises.append(promise)
    life.keep(promise)
    queue?.given(promise)
    return promise
  }

  // MARK: Ends

  func release(_ connection: ConnectionUse) {
    guard connection.references > 0 else { return }
    connection.references -= 1
    if connection.references == 0 { connection.forgetGear() }
    jacquard_connection_unref(connection.handle)
    guard connection.references == 0, !connection.isRestored else { return }
    connection.isReleased = true
    for promise in promises where promise.connection === connection { promise.ended() }
    connections.removeAll { $0 === connection }
  }

  func release(_ promise: Promise) {
    guard promise.references > 0 else { return }
    promise.references -= 1
    switch promise.kind {
    case .scan: jacquard_scan_unref(promise.handle)
    case .request, .known, .motion, .download, .stream, .update: jacquard_request_unref(promise.handle)
    default: jacquard_subscription_unref(promise.handle)
    }
    guard promise.references == 0 else { return }
    promise.handle = nil
    promise.ended()
  }

  /// Releases the manager, then the remaining handles.
  func end() {
    guard !isEnded else { return }
    stage.note("p\(number) ends")
    isEnded = true
    jacquard_manager_unref(manager)
    for promise in promises { promise.ended() }
    for promise in promises { release(promise) }
    for connection in connections {
      while connection.references > 0 { release(connection) }
      // A restored connection continues to report gear after its last handle was released.
      connection.forgetGear()
    }
    connections = []
    promises = []
    if jacquard_manager_dispatch(manager) != JACQUARD_ERROR_INVALID_HANDLE.rawValue, inside == nil {
      stage.fail("the manager of program \(number) lives on")
    }
  }

  /// Called at the end of a life that has already failed.
  func abandon() {
    inside = nil
    if !isEnded { end() }
  }
}
