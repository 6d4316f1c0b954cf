/// A hash of all events of a life, in order (FNV-1a).
final class Trace {
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  private(set) var count = 0
  private var lines: [String]?

  init(isKept: Bool) { lines = isKept ? [] : nil }

  var text: [String] { lines ?? [] }

  func note(_ line: String) {
    count += 1
    for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ 0x0a) &* 0x100_0000_01b3
    lines?.append(line)
  }
}
