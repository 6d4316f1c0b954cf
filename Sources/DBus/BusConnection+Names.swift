extension BusConnection {
  /// Requests a well-known name, without queueing for it if it has another owner.
  @discardableResult
  public func requestName(
    _ name: String, allowReplacement: Bool = false, replaceExisting: Bool = false
  ) async throws(BusError) -> NameRequest {
    guard Validity.isWellKnownName(name) else { throw .invalidArgument("bus name") }
    // DBUS_NAME_FLAG_ALLOW_REPLACEMENT, _REPLACE_EXISTING, _DO_NOT_QUEUE.
    let flags: UInt32 = (allowReplacement ? 1 : 0) | (replaceExisting ? 2 : 0) | 4
    let answer = try await call(Driver.call("RequestName", [.string(name), .uint32(flags)]))
    var reader = answer.reader
    guard let code = reader.uint32, let result = NameRequest(rawValue: code) else {
      throw .unexpectedAnswer("RequestName")
    }
    return result
  }

  public func releaseName(_ name: String) async throws(BusError) {
    guard Validity.isWellKnownName(name) else { throw .invalidArgument("bus name") }
    try await call(Driver.call("ReleaseName", [.string(name)]))
  }

  /// The unique name of the owner; nil if there is none.
  public func owner(of name: String) async throws(BusError) -> String? {
    guard Validity.isBusName(name) else { throw .invalidArgument("bus name") }
    let answer: Message
    do {
      answer = try await call(Driver.call("GetNameOwner", [.string(name)]))
    } catch {
      guard error.name == ErrorName.nameHasNoOwner else { throw error }
      return nil
    }
    var reader = answer.reader
    guard let owner = reader.cString else { throw .unexpectedAnswer("GetNameOwner") }
    return String(cString: owner)
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
    do {
      try await owner.known.value()
      return watch
    } catch {
      watch.cancel()
      throw error as? BusError ?? .cancelled
    }
  }

  /// The ID of this instance of the bus; a restarted bus at the same address has another ID.
  public func busID() async throws(BusError) -> String {
    let answer = try await call(Driver.call("GetId"))
    var reader = answer.reader
    guard let id = reader.cString else { throw .unexpectedAnswer("GetId") }
    return String(cString: id)
  }

  func abandon(_ owner: NameOwner) {
    if owners[owner.name] === owner { owners[owner.name] = nil }
  }
}
