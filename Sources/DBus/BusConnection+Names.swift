import EventLoop
import Glibc

extension BusConnection {
  /// Requests a well-known name, without queueing for it if it has another owner.
  @discardableResult
  public func requestName(
    _ name: String, allowReplacement: Bool = false, replaceExisting: Bool = false
  ) async throws(BusError) -> NameRequest {
    guard Validity.isWellKnownName(name) else { throw .invalidArgument("bus name") }
    // DBUS_NAME_FLAG_ALLOW_REPLACEMENT, _REPLACE_EXISTING, _DO_NOT_QUEUE.
    let flags: UInt32 = (allowReplacement ? 1 : 0) | (replaceExisting ? 2 : 0) | 4
    let answer = try await call(MessageBus.call("RequestName", [.string(name), .uint32(flags)]))
    var reader = answer.reader
    guard let code = reader.uint32, let result = NameRequest(rawValue: code) else {
      throw .unexpectedAnswer("RequestName")
    }
    return result
  }

  /// Releases a well-known name. Succeeds even if this connection does not own it.
  public func releaseName(_ name: String) async throws(BusError) {
    guard Validity.isWellKnownName(name) else { throw .invalidArgument("bus name") }
    try await call(MessageBus.call("ReleaseName", [.string(name)]))
  }

  /// The unique name of the owner; nil if there is none.
  public func owner(of name: String) async throws(BusError) -> String? {
    guard Validity.isBusName(name) else { throw .invalidArgument("bus name") }
    let answer: Message
    do {
      answer = try await call(MessageBus.call("GetNameOwner", [.string(name)]))
    } catch {
      guard error.name == ErrorName.nameHasNoOwner else { throw error }
      return nil
    }
    var reader = answer.reader
    guard let owner = reader.cString else { throw .unexpectedAnswer("GetNameOwner") }
    return String(cString: owner)
  }

  /// All names on the bus, unique ones included.
  public func names() async throws(BusError) -> [String] {
    let answer = try await call(MessageBus.call("ListNames"))
    guard let names = answer.body().first?.asStrings else { throw .unexpectedAnswer("ListNames") }
    return names
  }

  /// The process that owns a name.
  public func process(of name: String) async throws(BusError) -> pid_t {
    guard Validity.isBusName(name) else { throw .invalidArgument("bus name") }
    let answer = try await call(MessageBus.call("GetConnectionUnixProcessID", [.string(name)]))
    var reader = answer.reader
    guard let process = reader.uint32 else { throw .unexpectedAnswer("GetConnectionUnixProcessID") }
    return pid_t(process)
  }

  /// Calls `handler` with the unique name of the owner, or nil: with the current one before this returns, then at each
  /// change, until the watch is cancelled or released.
  public func watchName(
    _ name: String, _ handler: @escaping (String?) -> Void
  ) async throws(BusError) -> NameWatch {
    guard Validity.isBusName(name) else { throw .invalidArgument("bus name") }
    guard pointer != nil else { throw .disconnected }
    let owner: NameOwner
    if let known = owners[name] {
      owner = known
    } else {
      owner = NameOwner(name, self)
      owners[name] = owner
      owner.start()
    }
    let watch = NameWatch(owner, handler)
    do throws(BusError) {
      try await owner.known.value()
      return watch
    } catch {
      watch.cancel()
      throw error
    }
  }

  /// The ID of this instance of the bus; a restarted bus at the same address has another ID.
  public func busID() async throws(BusError) -> String {
    let answer = try await call(MessageBus.call("GetId"))
    var reader = answer.reader
    guard let id = reader.cString else { throw .unexpectedAnswer("GetId") }
    return String(cString: id)
  }

  /// Asks the bus to start the service that has a well-known name, as its configuration says.
  public func startService(_ name: String) async throws(BusError) {
    try await call(MessageBus.call("StartServiceByName", [.string(name), .uint32(0)]))
  }

  func forget(_ owner: NameOwner) {
    if owners[owner.name] === owner { owners[owner.name] = nil }
  }
}

/// The result of a request for a well-known name.
public enum NameRequest: UInt32, Sendable {
  case primaryOwner = 1
  case queued = 2
  case taken = 3
  case alreadyOwner = 4
}

/// Watches the owner of a name. Ends with `cancel()` or with its last reference.
public final class NameWatch {
  final class Registration {
    private(set) var handler: ((String?) -> Void)?

    init(_ handler: @escaping (String?) -> Void) { self.handler = handler }

    var isActive: Bool { handler != nil }

    func end() {
      // Released last, after it was removed here, because releasing it may call back into this object.
      let released = handler
      handler = nil
      withExtendedLifetime(released) {}
    }
  }

  private let owner: NameOwner
  private let registration: Registration

  init(_ owner: NameOwner, _ handler: @escaping (String?) -> Void) {
    self.owner = owner
    registration = Registration(handler)
    owner.add(registration)
  }

  deinit { cancel() }

  /// The handler is not called after this.
  public func cancel() {
    guard registration.isActive else { return }
    registration.end()
    owner.remove(registration)
  }

  func isOwned(by sender: UnsafePointer<CChar>?) -> Bool { owner.isOwned(by: sender) }
}

/// Tracks the owner of one well-known name for all watchers.
final class NameOwner {
  let name: String
  /// Completes when the owner first becomes known.
  let known = Completion<Void, BusError>()
  private weak var connection: BusConnection?
  private var subscription: Subscription?
  private var watches: [NameWatch.Registration] = []
  private var isKnown = false
  private var owner: String?
  private var ownerText: [CChar]?

  init(_ name: String, _ connection: BusConnection) {
    self.name = name
    self.connection = connection
  }

  /// Subscribes to changes before querying the current owner: the reply reflects all earlier signals, and later signals
  /// are newer.
  func start() {
    connection?.loop.spawn { [self] in
      do throws(BusError) {
        try await query()
        known.succeed(())
      } catch {
        connection?.forget(self)
        known.fail(error)
      }
    }
  }

  private func query() async throws(BusError) {
    guard let connection else { throw .disconnected }
    let rule = MatchRule(
      sender: MessageBus.name, path: MessageBus.path, interface: MessageBus.interface, member: "NameOwnerChanged",
      argument0: name)
    subscription = try await connection.subscribe(rule) { [weak self] in self?.change($0) }
    // The reply must take effect before later signals, so no task may run in between.
    let answer = Completion<Void, BusError>()
    try connection.call(MessageBus.call("GetNameOwner", [.string(name)])) { [self] result in
      switch result {
      case .success(let message):
        var reader = message.reader
        learn(reader.cString)
        answer.succeed(())
      case .failure(let error):
        if error.name == ErrorName.nameHasNoOwner { learn(nil) }
        answer.complete(isKnown ? .success(()) : .failure(error))
      }
    }
    try await answer.value()
  }

  func add(_ watch: NameWatch.Registration) {
    watches.append(watch)
    if isKnown { watch.handler?(owner) }
  }

  func remove(_ watch: NameWatch.Registration) {
    watches.removeAll { $0 === watch }
    guard watches.isEmpty else { return }
    subscription?.cancel()
    connection?.forget(self)
  }

  func isOwned(by sender: UnsafePointer<CChar>?) -> Bool {
    guard let ownerText, let sender else { return false }
    return strcmp(ownerText, sender) == 0
  }

  private func change(_ message: MessageView) {
    var reader = message.reader
    guard isKnown, reader.next(), reader.next(), let text = reader.cString else { return }
    learn(text.pointee == 0 ? nil : text)
  }

  private func learn(_ text: UnsafePointer<CChar>?) {
    let newOwner = text.map { String(cString: $0) }
    guard !isKnown || newOwner != owner else { return }
    // Values in place are those of the previous owner.
    connection?.inPlace.removeAll()
    isKnown = true
    owner = newOwner
    ownerText = newOwner.map { Array($0.utf8CString) }
    for watch in watches { watch.handler?(owner) }
  }
}
