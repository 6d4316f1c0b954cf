import CJacquard
import Jacquard

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
