/// A simulated person's touch of a sleeve.
public enum Stroke: String, CaseIterable, Sendable {
  case tap
  case doubleTap = "double-tap"
  case hold
  case press
  case swipeIn = "swipe-in"
  case swipeOut = "swipe-out"
  case scrub
  case twoFingerTap = "two-finger-tap"
  case spread
  case pinch
  case cover

  // Shapes that a user might train.
  case zigzag
  case tapTapSwipe = "tap-tap-swipe"
  case longShort = "long-short"
  case thereAndBack = "there-and-back"

  // Touches that are not meant for the sleeve.
  case brushing
  case leaning
  case folding
  case rubbing
  case gripping
  case bumping

  /// Touches that are not meant for the sleeve. In scenarios and commands, `other` is any of them.
  public static let others: [Stroke] = [.brushing, .leaning, .folding, .rubbing, .gripping, .bumping]
  public static let gestures = allCases.filter { !others.contains($0) }

  /// The report of gear in gesture mode. It recognises few gestures (`SimulatedGesture`); how a real tag regards other
  /// touches is not known, so it reports nothing about them.
  var reported: SimulatedGesture? {
    switch self {
    case .doubleTap: .doubleTap
    case .swipeIn: .brushIn
    case .swipeOut: .brushOut
    case .cover: .cover
    default: nil
    }
  }

  /// The strokes with a name in a scenario or command; `_` is also accepted.
  public static func named(_ name: some StringProtocol) -> [Stroke]? {
    let name = String(name.map { $0 == "_" ? "-" : $0 })
    if name == "other" { return others }
    return Stroke(rawValue: name).map { [$0] }
  }

  public static let names = allCases.map(\.rawValue) + ["other"]
}
