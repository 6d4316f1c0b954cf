/// A gesture that the gear recognised. Unknown numbers are kept.
public struct Gesture: RawRepresentable, Hashable, Sendable {
  /// The number that the gear sent; it may be unknown to this version.
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A touch that is not a gesture.
  public static let none = Gesture(rawValue: 0)
  public static let doubleTap = Gesture(rawValue: 1)
  public static let brushIn = Gesture(rawValue: 2)
  public static let brushOut = Gesture(rawValue: 3)
  public static let cover = Gesture(rawValue: 7)
  public static let brushUp = Gesture(rawValue: 13)
  public static let brushDown = Gesture(rawValue: 14)

  /// Nil for a number without a known name.
  public var name: String? { Self.names[self] }

  private static let names: [Gesture: String] = [
    none: "none",
    doubleTap: "double-tap",
    brushIn: "brush-in",
    brushOut: "brush-out",
    cover: "cover",
    brushUp: "brush-up",
    brushDown: "brush-down",
    // From the schema of older firmware; current gear is not known to report them.
    Gesture(rawValue: 4): "pulse-check",
    Gesture(rawValue: 5): "pulse-tap",
    Gesture(rawValue: 6): "long-cover",
    Gesture(rawValue: 8): "genie",
    Gesture(rawValue: 9): "pinch-in",
    Gesture(rawValue: 10): "pinch-out",
    Gesture(rawValue: 12): "triple-tap",
  ]
}

extension Gesture: CustomStringConvertible {
  /// The name, or the number if it has no known name.
  public var description: String { name ?? "gesture \(rawValue)" }
}
