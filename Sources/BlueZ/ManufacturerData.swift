import DBus

/// Advertised data by company ID, in one array: most devices have that of one company.
public struct ManufacturerData {
  /// Each company's ID and number of bytes, two bytes each with the low one first, and then its bytes.
  private var parts: [UInt8] = []

  init() {}

  /// Drops data that is too long for an advertisement.
  init(_ value: Value) {
    for entry in value.asEntries ?? [] {
      guard let company: UInt16 = entry.key.asInteger(), let bytes = entry.value.asBytes,
        let count = UInt16(exactly: bytes.count)
      else { continue }
      parts.reserveCapacity(parts.count + 4 + bytes.count)
      append(company)
      append(count)
      parts += bytes
    }
  }

  public var isEmpty: Bool { parts.isEmpty }

  /// Nil if there is none of that company.
  public subscript(company: UInt16) -> [UInt8]? {
    var start = 0
    while start < parts.count {
      let data = start + 4..<start + 4 + Int(number(at: start + 2))
      if number(at: start) == company { return Array(parts[data]) }
      start = data.upperBound
    }
    return nil
  }

  private mutating func append(_ number: UInt16) {
    parts.append(UInt8(truncatingIfNeeded: number))
    parts.append(UInt8(truncatingIfNeeded: number >> 8))
  }

  private func number(at index: Int) -> UInt16 { UInt16(parts[index]) | UInt16(parts[index + 1]) << 8 }
}
