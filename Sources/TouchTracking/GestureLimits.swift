/// The limits that make touches gestures. No sleeve has been measured: times are those of touchscreens where these have
/// them, and distances follow from the resolution of a tracker. docs/touch.md has the same table.
///
/// Times are in nanoseconds, distances and widths in 1/256 line.
enum GestureLimits {
  /// A tap is at most this long. libinput's 180 ms for touchpads are eleven samples, of which some are lost or late;
  /// Android and iOS accept every touch that is shorter than a hold.
  static let tap: Int64 = 300_000_000
  /// From the end of a tap to the beginning of the second one: Android's double tap timeout.
  static let betweenTaps: Int64 = 300_000_000
  /// From a tap to the second one: two fingers that are this close cannot be distinguished either.
  static let sameSpot: Int32 = 2 * 256
  /// A touch that rests for this time is a hold or a cover: the default of iOS, and of Android before 12.
  static let hold: Int64 = 500_000_000

  /// A finger that moves less rests, and a stroke continues until the finger comes back this far. At noise 5, where one
  /// position in twenty is off by 0.17 line, a finger that drifts by half a line rests.
  static let slop: Int32 = 384
  /// A swipe is at least this long: twice the slop.
  static let swipe: Int32 = 768
  /// A swipe, from its touch's beginning to its end, is at most this long. A slower movement is a slide: programs
  /// follow the touch itself.
  static let swipeTime: Int64 = 800_000_000
  /// A stroke of a scrub is at most this long: once to and fro in a second.
  static let stroke: Int64 = 500_000_000

  /// The smallest change of the distance of two fingers: both together may move by less while they rest.
  static let spread: Int32 = 512
  /// A spread or a pinch is at most this long. Slower fingers may only lie there.
  static let spreadTime: Int64 = 1_500_000_000

  /// A finger has landed when its strength has not risen by a fifth for this time.
  static let landing: Int64 = 100_000_000
  /// A press is this much stronger than the mean strength with which the finger has landed. It is compared with its own
  /// touch, because it is not known how strong fingers read on a sleeve.
  static let press = (numerator: 3, denominator: 2)
  /// A press is this long: three samples, so it is not a coincidence.
  static let pressed: Int64 = 30_000_000

  /// A finger's mean width is at most this: `FingerSearch.widestFinger`.
  static let finger: Int32 = 448
  /// A cover's width is at least this: a palm over seven lines.
  static let palm: Int32 = 512
  /// A cover may be narrower for this time: six samples, in which noise shows two fingers in place of a palm.
  static let interruption: Int64 = 100_000_000
}
