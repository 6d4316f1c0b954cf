/// A number of the header with named constants. Tags and later versions of the library may deliver numbers without
/// names, so a `switch` needs a `default`.
public protocol OpenEnumeration: RawRepresentable, Sendable, Hashable, CustomStringConvertible
where RawValue: FixedWidthInteger {
  /// The name of the constant; nil for a number that this version does not know.
  var name: String? { get }
}

extension OpenEnumeration {
  /// The name, or the number if it has none.
  public var description: String { name ?? "\(rawValue)" }
}
