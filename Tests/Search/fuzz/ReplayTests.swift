import Glibc
import Testing

/// Runs the findings of fuzzing again; `Tests/Support/long fuzz` searches for more.
@Suite("Inputs found by fuzzing")
struct ReplayTests {
  /// A line of a file below `inputs`: hexadecimal digits, and a name if it was written or once caused a failure.
  struct Input: CustomTestStringConvertible {
    let target: String
    let line: Int
    let name: Substring
    let bytes: [UInt8]

    var testDescription: String { "\(target), line \(line) \(name)" }
  }

  private static let inputs = Target.all.flatMap { inputs(of: $0.name) }

  private static func inputs(of target: String) -> [Input] {
    let lines = text("inputs/\(target)").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.enumerated().map { index, line in
      let digits = line.prefix { $0 != " " }
      return Input(target: target, line: index + 1, name: line.dropFirst(digits.count + 1), bytes: bytes(digits))
    }
  }

  private static func text(_ path: String) -> String {
    let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/")
    guard let file = fopen("\(folder)/\(path)", "rb") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// The bytes of the digits; empty if these are not pairs of digits.
  private static func bytes(_ digits: Substring) -> [UInt8] {
    let values = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
    guard values.count == digits.utf8.count, values.count.isMultiple(of: 2) else { return [] }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  @Test("do no harm", arguments: inputs)
  func replay(_ input: Input) throws {
    let target = try #require(Target.named(input.target))
    #expect(!input.bytes.isEmpty)
    try input.bytes.withUnsafeBytes(target.body)
  }

  @Test("there is at least one for each target", arguments: Target.all.map(\.name))
  func seeded(_ name: String) { #expect(Self.inputs.contains { $0.target == name }) }

  @Test("the empty input is accepted", arguments: Target.all.map(\.name))
  func nothing(_ name: String) throws {
    try Target.named(name)?.body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
