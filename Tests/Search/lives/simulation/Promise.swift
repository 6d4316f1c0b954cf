import CJacquard

/// One registration of a callback, and the library's guarantees for it: calls one at a time and only while its manager
/// is dispatched, none after the end, `destroy` once. It outlives the life's handles, so that a late call is detected
/// and harms nothing.
final class Promise {
  enum Kind: String {
    case adapter, log, connections, restore, scan, known, request
    case motion, download, stream, update
    case state, anotherState, gesture, touch, gear, battery, name, notification, rawData, rawValue
  }

  let number: Int
  let kind: Kind
  unowned let program: Program
  /// The object whose last reference ends it.
  let connection: ConnectionUse?
  /// All commands to the same tag, if this is a command.
  let queue: CommandOrder?
  /// The handle of a request, a scan or a subscription that a program holds.
  var handle: OpaquePointer?
  var references = 0

  private(set) var calls = 0
  private(set) var destroyed = 0
  /// The call that ended it has returned: no callback may run any more.
  private(set) var isEnded = false
  /// Its only or final call has begun.
  private(set) var isComplete = false
  /// The time limit of a command through the service, if its program has set one.
  var limit: Duration?
  /// Whether a command that must succeed has done so.
  var hasSucceeded = false
  /// It was never begun.
  var wasRefused = false
  /// The numbers of the received gestures.
  var heard: Set<UInt32> = []
  var latest: UInt32 = 0
  /// For a download: the recording, and how many of its bytes were received. For an update: the image.
  var file: [UInt8] = []
  var receivedCount = 0
  /// The samples of a stream.
  var ledger = StreamLedger()
  /// The samples of a subscription to touches.
  var touches: TouchLedger?

  init(
    _ number: Int, _ kind: Kind, _ program: Program, _ connection: ConnectionUse? = nil, _ queue: CommandOrder? = nil
  ) {
    self.number = number
    self.kind = kind
    self.program = program
    self.connection = connection
    self.queue = queue
  }

  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func of(_ userData: UnsafeMutableRawPointer?) -> Promise? {
    userData.map { Unmanaged<Promise>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Registered as `destroy`.
  static var destroy: jacquard_destroy_callback {
    { Promise.of($0)?.wasDestroyed() }
  }

  /// Whether it has only one call, apart from those about its progress.
  private var isOnce: Bool { [.request, .known, .motion, .download, .stream, .update].contains(kind) }
  /// Whether it completes without a further request of its program.
  var mustComplete: Bool { isOnce && kind != .stream }
  /// Whether it is work that has not shown any effect yet.
  fileprivate var isBeginning: Bool {
    let hasBegun = calls > 0 && kind != .update
    return [.motion, .download, .stream, .update].contains(kind) && !hasBegun && !isComplete && !isEnded
  }
  private var title: String { "\(kind.rawValue) #\(number) of program \(program.number)" }
  private var stage: Stage { program.stage }

  // MARK: Called by the library

  /// A callback: its arguments, and the caller's actions in it.
  ///
  /// - Parameter isLast: whether it is the last call of a scan, a download, a stream or an update.
  func called(_ what: @autoclosure () -> String, isLast: Bool? = nil, _ body: () -> Void = {}) {
    stage.note("p\(program.number) #\(number) \(kind.rawValue): \(what())")
    calls += 1
    if !program.isDispatching { stage.fail("\(title) was called outside of a dispatch") }
    if let other = program.inside { stage.fail("\(title) was called inside the callback of #\(other.number)") }
    if destroyed > 0 { stage.fail("\(title) was called after its destroy") }
    if isEnded { stage.fail("\(title) was called after its end") }
    if isComplete { stage.fail("\(title) was called after its last call") }
    isComplete = isLast ?? isOnce
    program.inside = self
    if kind == .request { queue?.completed(self) }
    body()
    program.react(inside: self)
    program.inside = nil
    if isComplete { program.mustBeDestroyed(self) }
  }

  private func wasDestroyed() {
    stage.note("p\(program.number) #\(number) destroyed")
    destroyed += 1
    if destroyed > 1 { stage.fail("\(title) was destroyed \(destroyed) times") }
    if program.inside === self { stage.fail("\(title) was destroyed inside its callback") }
  }

  func checkDestroyed() {
    if destroyed != 1 { stage.fail("\(title) was destroyed \(destroyed) times, and not once") }
  }

  /// The call that ends it has returned.
  func ended() {
    guard !isEnded else { return }
    isEnded = true
    if queue != nil, !isComplete { queue?.withdrawn(self) }
    if program.inside === self { program.mustBeDestroyed(self) } else { checkDestroyed() }
  }
}

/// The commands to one tag, in order.
final class CommandOrder {
  private unowned let stage: Stage
  private var waiting: [Promise] = []
  /// Time for other programs' turns, and until a service without an answer is noticed; see jacquard_request_options.
  /// It is a tenth more, because the library's time begins a little later.
  private static let grace: Duration = .seconds(11)
  /// The number of the first command.
  private var measured = 0
  private var waited: Duration = .zero
  /// Whether the command before the first one may still be in flight: only its caller has stopped waiting. Then the
  /// first one's turn begins when the tag's response to it is given up, which takes the time of a command at most.
  private var followsLimit = false

  init(_ stage: Stage) { self.stage = stage }

  var isEmpty: Bool { waiting.isEmpty }

  func given(_ command: Promise) { waiting.append(command) }

  func withdrawn(_ command: Promise) { waiting.removeAll { $0 === command } }

  /// A command through the service ends in time whatever the service does, once those before it have ended. Called
  /// whenever time has advanced, with the program running since then.
  func check(after duration: Duration) {
    guard let first = waiting.first else { return waited = .zero }
    // Work that begins has its own commands, perhaps in the same queue.
    let begins = first.program.promises.contains(where: \.isBeginning)
    if first.number != measured || begins { (measured, waited) = (first.number, .zero) }
    waited += duration
    if let limit = first.limit, waited > limit + Self.grace * (followsLimit ? 2 : 1) {
      stage.fail("command #\(first.number) has not ended \(waited) after its turn, with a limit of \(limit)")
    }
  }

  func completed(_ command: Promise) {
    followsLimit = command.limit != nil
    if let first = waiting.first, first !== command {
      stage.fail("command #\(command.number) has completed before #\(first.number), which was given earlier")
    }
    withdrawn(command)
  }
}
