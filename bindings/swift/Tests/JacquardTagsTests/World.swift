import JacquardTags
import Testing

// The tests run inside `jacquard-sim run --time-scale 10 --control $JACQUARD_CONTROL`, one after the other.

/// The tag of JacquardTags, not that of swift-testing.
typealias Tag = JacquardTags.Tag

/// A tag that is connected while `body` runs.
func withTag(_ body: (Connection, Tag) async throws -> Void) async throws {
  let manager = try Manager()
  let connection = try manager.connect(try await manager.find(timeout: .seconds(20)), limit: .after(.seconds(20)))
  let tag = try await connection.tag()
  try await body(connection, tag)
  try await connection.disconnect()
}

/// A tag with gear.
func withGear(_ body: (Connection, Tag, Component) async throws -> Void) async throws {
  try await withTag { connection, tag in
    tell("gear attach levis-trucker")
    for try await gear in try connection.gear() {
      guard let gear else { continue }
      try await body(connection, tag, gear)
      break
    }
    tell("gear detach")
  }
}

/// The error that `body` throws.
func failure(_ body: () async throws -> Void) async -> JacquardError? {
  do {
    try await body()
  } catch {
    return error as? JacquardError
  }
  return nil
}

extension Events {
  /// The next elements. A new reader would find them too.
  func first(_ count: Int) async throws -> [Element] {
    var elements: [Element] = []
    for try await element in self {
      elements.append(element)
      if elements.count == count { break }
    }
    return elements
  }
}
