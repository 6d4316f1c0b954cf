import SwiftProtobuf
import WireFormat

/// A message type, and SwiftProtobuf's type for the same message.
protocol Compared: WireMessage {
  associatedtype Other: SwiftProtobuf.Message
  func compare(_ other: Other, _ properties: inout Properties)
  /// A copy in which every known field is set through its property.
  func copied() -> Self
}

/// Compares properties and keeps the names of those that differ.
struct Properties {
  private(set) var different: [String] = []

  private mutating func check(_ name: String, _ isSame: Bool, _ has: Bool, _ otherHas: Bool) {
    if !isSame || has != otherHas { different.append(name) }
  }

  mutating func compare<Value: Equatable>(_ name: String, _ one: Value, _ other: Value, _ has: Bool, _ otherHas: Bool) {
    check(name, one == other, has, otherHas)
  }

  mutating func compare(_ name: String, _ one: Float, _ other: Float, _ has: Bool, _ otherHas: Bool) {
    check(name, one.bitPattern == other.bitPattern, has, otherHas)
  }

  mutating func compare(_ name: String, _ one: Double, _ other: Double, _ has: Bool, _ otherHas: Bool) {
    check(name, one.bitPattern == other.bitPattern, has, otherHas)
  }

  mutating func compare(_ name: String, _ one: String, _ other: String, _ has: Bool, _ otherHas: Bool) {
    check(name, one.utf8.elementsEqual(other.utf8), has, otherHas)
  }

  mutating func compare(_ name: String, _ one: [UInt8], _ other: some Sequence<UInt8>, _ has: Bool, _ otherHas: Bool) {
    check(name, one.elementsEqual(other), has, otherHas)
  }

  mutating func compare<One: RawRepresentable<Int>, Other: RawRepresentable<Int>>(
    _ name: String, _ one: One, _ other: Other, _ has: Bool, _ otherHas: Bool
  ) {
    check(name, one.rawValue == other.rawValue, has, otherHas)
  }

  mutating func compare<One: Compared>(_ name: String, _ one: One, _ other: One.Other, _ has: Bool, _ otherHas: Bool) {
    if has, otherHas { one.compare(other, &self) }
    check(name, true, has, otherHas)
  }

  mutating func compare(_ name: String, _ one: [UInt32], _ other: [UInt32]) { check(name, one == other, true, true) }

  mutating func compare<One: Compared>(_ name: String, _ one: [One], _ other: [One.Other]) {
    check(name, one.count == other.count, true, true)
    for (one, other) in zip(one, other) { one.compare(other, &self) }
  }
}
