/// A gesture that rules derive from touches. It is not a gesture of the tag, which reports none while it sends samples.
public struct TouchGesture: Equatable, Sendable {
  public enum Kind: UInt32, CaseIterable, Sendable {
    case tap = 1
    case doubleTap
    case hold
    case press
    /// Towards the first line.
    case swipeIn
    /// Towards the last line.
    case swipeOut
    case scrub
    case twoFingerTap
    case spread
    case pinch
    case cover
  }

  public var kind: Kind
  /// The touch that made it; the older one of a pair.
  public var id: UInt32
  /// The other touch of a pair, else 0.
  public var otherID: UInt32 = 0
  /// Where the touch was last, in 1/256 line: of a stroke, its end; of a pair, the middle.
  public var position: Int32
  /// In 1/256 line: how far a swipe or a stroke went, or how much farther apart a pair is. 0 for other kinds.
  public var distance: Int32 = 0
  /// In 1/256 line per second: the mean speed over the distance.
  public var speed: Int32 = 0
  /// The time of the sample that decided it; if the touch ended without one, the time of its last sample.
  public var time: Int64
}

extension TouchGesture {
  /// A gesture that is a movement: its speed is the mean one over the distance.
  init(
    _ kind: Kind, _ id: UInt32, and otherID: UInt32 = 0, _ position: Int32, distance: Int32, during elapsed: Int64,
    time: Int64
  ) {
    let speed = Float(distance) * 1e9 / Float(max(elapsed, 1))
    let fastest = 256 * SpeedLine.fastest
    self.init(
      kind: kind, id: id, otherID: otherID, position: position, distance: distance,
      speed: Int32(min(max(speed, -fastest), fastest).rounded()), time: time)
  }
}

/// The gestures of one sample.
public struct TouchGestures: Sendable {
  /// The maximum: each touch of the previous sample can make one.
  public static let capacity = Fingers.capacity

  private var gestures = InlineArray<4, TouchGesture>(repeating: TouchGesture(kind: .tap, id: 0, position: 0, time: 0))
  public private(set) var count = 0

  public subscript(_ index: Int) -> TouchGesture { gestures[index] }

  mutating func append(_ gesture: TouchGesture) {
    guard count < Self.capacity else { return }
    gestures[count] = gesture
    count += 1
  }

  mutating func removeAll() { count = 0 }
}
