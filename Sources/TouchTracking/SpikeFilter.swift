/// Removes single readings that are wrong.
///
/// The median of three readings does this, but is one sample late. So it is used only on a sleeve that has such
/// readings: several in the last seconds that neither the lines beside them nor the samples before and after show.
struct SpikeFilter: Sendable {
  /// In counts above all readings around it.
  private static let height: Int16 = 30
  /// In samples: how long one spike is remembered, how many make a sleeve spiky, and how long it is one at most.
  private static let memory: UInt16 = 600
  private static let several: UInt16 = 1200
  private static let longest: UInt16 = 6000

  private var before = TouchLines<UInt8>(repeating: 0)
  private var last = TouchLines<UInt8>(repeating: 0)
  private var count: UInt8 = 0
  private var recent: UInt16 = 0

  var isSpiky: Bool { recent > Self.several }

  mutating func filtered(_ readings: TouchLines<UInt8>) -> TouchLines<UInt8> {
    defer { (before, last) = (last, readings) }
    recent -= recent > 0 ? 1 : 0
    guard count == 2 else {
      count += 1
      return readings
    }
    for line in readings.indices {
      let height = Int16(last[line]) - Int16(max(before[line], readings[line]))
      if height >= Self.height, isAlone(line, height) { recent = min(recent + Self.memory, Self.longest) }
    }
    guard isSpiky else { return readings }
    return TouchLines { line in
      max(min(before[line], last[line]), min(max(before[line], last[line]), readings[line]))
    }
  }

  /// Whether the lines beside it did not rise in the last sample.
  private func isAlone(_ line: Int, _ height: Int16) -> Bool {
    for near in stride(from: line - 1, through: line + 1, by: 2) where last.indices.contains(near) {
      if (Int16(last[near]) - Int16(before[near])) * 3 > height { return false }
    }
    return true
  }
}
