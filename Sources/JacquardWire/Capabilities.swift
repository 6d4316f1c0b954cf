/// The capabilities of a tag or its gear. Bit n is capability n of the vendor's gear metadata.
public struct Capabilities: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let led = Capabilities(rawValue: 1 << 0)
  public static let gestures = Capabilities(rawValue: 1 << 1)
  public static let touchStream = Capabilities(rawValue: 1 << 2)
  public static let haptics = Capabilities(rawValue: 1 << 3)
}
