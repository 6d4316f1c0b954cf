/// One entrance for foreign bytes: what is done with them there, and what must hold afterwards.
struct Target: Sendable {
  let name: String
  /// Stops the process when something does not hold.
  let body: @Sendable (UnsafeRawBufferPointer) throws -> Void

  static let all = [
    values, packets, sessions, messages, objects, stored, scenarios, tags, words, calls, copies, radios,
  ]

  static func named(_ name: String) -> Target? { all.first { $0.name == name } }
}

/// What must hold, also in a build without assertions.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { fatalError(what()) }
}
