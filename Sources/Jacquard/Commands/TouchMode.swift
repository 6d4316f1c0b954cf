/// The kind of data that the gear reports, with the numbers of `jacquard_touch_mode`.
public enum TouchMode: UInt32, CaseIterable, Sendable {
  case gesture = 1
  case continuous = 2

  /// Gestures must not be dropped; of touch samples only the latest matters.
  var queueDepth: UInt32 {
    switch self {
    case .gesture: 14
    case .continuous: 2
    }
  }
}
