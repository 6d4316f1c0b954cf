/// One entry point for untrusted bytes, and the conditions that must hold afterwards.
struct Target: Sendable {
  let name: String
  /// Stops the process if a condition is violated.
  let body: @Sendable (UnsafeRawBufferPointer) throws -> Void

  static let all = [
    values, packets, sessions, frames, messages, objects, stored, scenarios, tags, words, calls, copies, radios,
    updates, sharing, touches,
  ]

  static func named(_ name: String) -> Target? { all.first { $0.name == name } }
}

/// An assertion that is also checked in release builds.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { fatalError(what()) }
}

/// Choices made by the input, byte by byte; zero or nothing after its end.
struct Choices {
  private var rest: UnsafeRawBufferPointer.SubSequence

  init(_ input: UnsafeRawBufferPointer) { rest = input[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func index(below count: Int) -> Int { Int(byte()) % count }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[index(below: elements.count)] }

  mutating func number<Number: FixedWidthInteger>() -> Number {
    (0..<MemoryLayout<Number>.size).reduce(0) { sum, _ in sum << 8 | Number(truncatingIfNeeded: byte()) }
  }

  /// The number of bytes given by the first byte.
  mutating func bytes() -> [UInt8] {
    let count = Int(byte())
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }
}
