import CJacquard

/// The time limit of a first connection.
public enum TimeLimit: Sendable, Hashable {
  /// 60 seconds; no limit for a tag that is bound to this machine.
  case standard
  /// No limit.
  case none
  /// This limit.
  case after(Duration)

  var milliseconds: UInt32 {
    switch self {
    case .standard: 0
    case .none: .max
    case .after(let duration): duration.milliseconds
    }
  }
}

/// Options of `Manager.bind()`.
public struct BindOptions: Sendable {
  /// The limit for binding and connecting; the standard is 60 seconds.
  public var limit = TimeLimit.standard
  /// Whether it waits for an adapter that is off or missing.
  public var waitsForAdapter = false
  /// 1 to 256 bytes; nil: the current owner, or none.
  public var owner: String?
  /// Text that is stored with the tag; nil: keeps the stored profile.
  public var profile: [String: String]?

  /// The defaults.
  public init() {}
}

extension Manager {
  /// Connects to a tag and keeps it connected, through lost links and restarts of bluetoothd, until the connection is
  /// disconnected or released. The result is available immediately; `Connection.tag()` waits for the link.
  ///
  /// - Parameters:
  ///   - identifier: from an `Advertisement`, possibly of an earlier run
  ///   - owner: if the tag is bound here, its owner must be this one; nil: any owner
  /// - Throws: `.invalidArgument` (not a UUID), `.alreadyConnected`
  public func connect(
    _ identifier: String, limit: TimeLimit = .standard, waitsForAdapter: Bool = false, owner: String? = nil
  ) throws(JacquardError) -> Connection {
    try withStrings([identifier, owner]) { strings throws(JacquardError) in
      var options = sized(jacquard_connect_options.self)
      options.timeout_ms = limit.milliseconds
      options.wait_for_adapter = UInt32(waitsForAdapter)
      options.owner = strings[1]
      return try connection(identifier) {
        jacquard_manager_connect(handle.pointer, strings[0]!, &options, nil, nil, nil, $0)
      }
    }
  }

  /// Connects to a tag that was found.
  public func connect(_ found: Advertisement, limit: TimeLimit = .standard) throws(JacquardError) -> Connection {
    try connect(found.identifier, limit: limit)
  }

  /// Connects to a tag for the first time, checks the code that is printed on it, and creates a bond. Afterwards
  /// `connect()` is enough.
  ///
  /// The connection can also end with `.wrongCode`, `.pairingRefused`, `.otherOwner` and `.stateFile`. The code is
  /// neither stored nor logged.
  /// - Parameter code: the printed number, or at least its last 4 characters
  /// - Throws: as `connect()`; `.invalidArgument` if the code has fewer than 4 characters
  public func bind(
    _ identifier: String, code: String, _ given: BindOptions = BindOptions()
  ) throws(JacquardError) -> Connection {
    try withStrings([identifier, code, given.owner]) { strings throws(JacquardError) in
      try withProfile(given.profile) { profile, count throws(JacquardError) in
        var options = sized(jacquard_bind_options.self)
        options.timeout_ms = given.limit.milliseconds
        options.wait_for_adapter = UInt32(given.waitsForAdapter)
        options.code = strings[1]!
        options.owner = strings[2]
        options.profile = profile
        options.profile_count = count
        return try connection(identifier) {
          jacquard_manager_bind(handle.pointer, strings[0]!, &options, nil, nil, nil, $0)
        }
      }
    }
  }

  /// This manager's connection to a tag, begun by another part of the program or by `connectsAutomatically`.
  ///
  /// - Throws: `.notFound` if there is none, `.invalidArgument`
  public func connection(to identifier: String) throws(JacquardError) -> Connection {
    try withString(identifier) { pointer throws(JacquardError) in
      try connection(identifier) { jacquard_manager_find_connection(handle.pointer, pointer, $0) }
    }
  }

  /// The states of all connections of this manager, including future ones: first the current ones, then each change.
  public func connectionStates(
    buffering: Buffering = .everything
  ) throws(JacquardError) -> Events<ConnectionState> {
    let manager = Weak(self)
    return try subscribe(self, buffering, { ConnectionState($0, manager.object) }) {
      jacquard_manager_on_connection(handle.pointer, { receive($0, $1) }, $0, release, $1)
    }
  }

  /// The tags that were wanted when the last manager with this `restoreID` ended. Returns once, even if there are none.
  ///
  /// With `connectsAutomatically` each has a connection, which the library keeps until it is disconnected.
  /// - Throws: `.invalidArgument` without a `restoreID`, `.stateFile`
  public func restorations() async throws(JacquardError) -> [Restoration] {
    let manager = Weak(self)
    return try await ask(
      self, answer: { $0.values().map { Restoration($0, manager.object) } }
    ) {
      jacquard_manager_on_restore(
        handle.pointer, { complete(Answer(pointer: $0, count: $1), $2, $3) }, $0, release, $1)
    }
  }

  private func connection(
    _ identifier: String, _ function: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(JacquardError) -> Connection {
    try Connection(
      Handle({ jacquard_connection_unref($0) }, function), identifier: identifier, manager: self)
  }
}
