import CJacquard
import EventLoop
import Jacquard

@_cdecl("jacquard_manager_connect") @implementation
public func jacquard_manager_connect(
  _ manager: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ options: UnsafePointer<jacquard_connect_options>?, _ onState: jacquard_connection_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ connection: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { manager in
    let given = try Arguments.options(options)
    let chosen = try given.map(Connection.Options.init) ?? Connection.Options()
    let target = try Arguments.target(identifier, serial: given?.serial)
    return try manager.open(target, chosen, nil, onState, userData, destroy, connection)
  }
}

@_cdecl("jacquard_manager_bind") @implementation
public func jacquard_manager_bind(
  _ manager: OpaquePointer?, _ identifier: UnsafePointer<CChar>?,
  _ options: UnsafePointer<jacquard_bind_options>?, _ onState: jacquard_connection_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ connection: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { manager in
    let given = try required(try Arguments.options(options), "options")
    let binding = try Binding(given)
    let chosen = try Connection.Options(timeout: given.timeout_ms, waitForAdapter: given.wait_for_adapter)
    let target: Connection.Target =
      identifier == nil ? .serial(binding.code) : .identifier(try Arguments.identifier(identifier))
    return try manager.open(target, chosen, binding, onState, userData, destroy, connection)
  }
}

@_cdecl("jacquard_manager_find_connection") @implementation
public func jacquard_manager_find_connection(
  _ manager: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ connection: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { manager in
    let output = try required(connection, "connection")
    let identifier = try Arguments.identifier(identifier)
    try manager.checkOpen()
    output.pointee = try manager.connection(to: identifier)
    return 0
  }
}

extension ManagerHandle {
  /// Begins every connection that the caller requests.
  func open(
    _ target: Connection.Target, _ options: Connection.Options, _ binding: Binding?,
    _ onState: jacquard_connection_callback?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: jacquard_destroy_callback?, _ connection: UnsafeMutablePointer<OpaquePointer?>?
  ) throws -> CInt {
    let output = try required(connection, "connection")
    try checkOpen()

    let handle = ConnectionHandle(self, target.identifier)
    let registration = Registration(userData, destroy, in: registrations, handle.registrations)
    let pointer = try handle.register()
    try registration.begin(with: pointer)
    output.pointee = pointer
    post { core in
      let begin = { (handle: ConnectionHandle) in
        try core.connect(target, options, binding: binding, statistics: handle.statistics) {
          [weak handle] identifier throws(JacquardError) in
          if let handle { try handle.manager.reserve(identifier, for: handle) }
        }
      }
      handle.start(begin, onState.map { ($0, registration) })
    }
    return 0
  }
}

extension Arguments {
  static func identifier(_ pointer: UnsafePointer<CChar>?) throws -> TagIdentifier {
    let text = try required(try string(pointer, "identifier"), "identifier")
    guard let identifier = TagIdentifier(text: text) else {
      throw JacquardError.invalid("identifier is not a UUID from an advertisement.")
    }
    return identifier
  }

  /// The tag to connect to: exactly one of the two is given.
  fileprivate static func target(
    _ identifier: UnsafePointer<CChar>?, serial: UnsafePointer<CChar>?
  ) throws -> Connection.Target {
    guard let serial = try string(serial, "serial") else {
      guard identifier != nil else {
        throw JacquardError.invalid("identifier is NULL, and so is serial; pass one of them.")
      }
      return .identifier(try self.identifier(identifier))
    }
    guard identifier == nil else {
      throw JacquardError.invalid("identifier and serial are both given; pass NULL for one of them.")
    }
    guard !serial.isEmpty else { throw JacquardError.invalid("serial is empty.") }
    return .serial(serial)
  }
}

extension Connection.Target {
  fileprivate var identifier: TagIdentifier? { if case .identifier(let identifier) = self { identifier } else { nil } }
}

extension Connection.Options {
  fileprivate init(_ given: jacquard_connect_options) throws {
    try self.init(timeout: given.timeout_ms, waitForAdapter: given.wait_for_adapter)
    owner = try Arguments.string(given.owner, "owner")
    try Binding.check(owner: owner)
  }

  init(timeout milliseconds: UInt32, waitForAdapter: UInt32) throws {
    self.init()
    switch milliseconds {
    case 0: break
    case .max: timeout = .unlimited
    default: timeout = .after(.milliseconds(Int64(milliseconds)))
    }
    self.waitForAdapter = try Arguments.flag(waitForAdapter, "wait_for_adapter")
  }
}

extension Binding {
  fileprivate init(_ given: jacquard_bind_options) throws {
    try self.init(
      code: try required(try Arguments.string(given.code, "code"), "code"),
      owner: try Arguments.string(given.owner, "owner"),
      profile: try Arguments.profile(given.profile, given.profile_count))
  }
}

extension Arguments {
  static func profile(_ pointer: UnsafePointer<jacquard_profile_entry>?, _ count: Int) throws -> [ProfileEntry] {
    guard (0...ProfileEntry.most).contains(count) else {
      throw JacquardError.invalid("profile_count is \(count); expected 0 to \(ProfileEntry.most).")
    }
    guard count > 0 else { return [] }
    let pointer = try required(pointer, "profile")
    return try (0..<count).map { index in
      ProfileEntry(
        try required(try string(pointer[index].key, "key"), "key"),
        try required(try string(pointer[index].value, "value"), "value"))
    }
  }
}
