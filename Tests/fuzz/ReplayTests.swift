import Glibc
import Testing

/// Runs the findings of fuzzing again; `make fuzz` searches for more.
@Suite("Inputs found by fuzzing")
struct ReplayTests {
  private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/corpus"

  struct Input: CustomTestStringConvertible {
    let target: String
    let file: String
    var testDescription: String { "\(target)/\(file)" }
  }

  private static let inputs = Target.all.flatMap { target in
    names(in: "\(folder)/\(target.name)").map { Input(target: target.name, file: $0) }
  }

  private static func names(in folder: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    return Array(bytes.prefix(fread(&bytes, 1, bytes.count, file)))
  }

  @Test("do no harm", arguments: inputs)
  func replay(_ input: Input) throws {
    let target = try #require(Target.named(input.target))
    let bytes = Self.bytes(of: "\(Self.folder)/\(input.target)/\(input.file)")
    #expect(!bytes.isEmpty)
    try bytes.withUnsafeBytes(target.body)
  }

  @Test("there is at least one for each target", arguments: Target.all.map(\.name))
  func seeded(_ name: String) { #expect(Self.inputs.contains { $0.target == name }) }

  @Test("the empty input is accepted", arguments: Target.all.map(\.name))
  func nothing(_ name: String) throws {
    try Target.named(name)?.body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
