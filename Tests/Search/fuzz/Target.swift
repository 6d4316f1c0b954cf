/// One entry point for untrusted bytes, and the conditions that must hold afterwards.
struct Target: Sendable {
  let name: String
  /// Stops the process if a condition is violated.
  let body: @Sendable (UnsafeRawBufferPointer) throws -> Void

  static let all = [
    values, packets, sessions, frames, messages, objects, stored, scenarios, tags, words, calls, copies, radios,
    updates, sharing,
  ]

  static func named(_ name: String) -> Target? { all.first { $0.name == name } }
}

/// An assertion that is also checked in release builds.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { fatalError(what()) }
}
