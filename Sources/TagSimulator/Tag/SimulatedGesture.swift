/// The gestures that gear recognises, with their numbers in the protocol.
public enum SimulatedGesture: String, CaseIterable, Sendable {
  case none = "none"
  case doubleTap = "double-tap"
  case brushIn = "brush-in"
  case brushOut = "brush-out"
  case cover = "cover"
  case brushUp = "brush-up"
  case brushDown = "brush-down"

  public var number: UInt32 {
    switch self {
    case .none: 0
    case .doubleTap: 1
    case .brushIn: 2
    case .brushOut: 3
    case .cover: 7
    case .brushUp: 13
    case .brushDown: 14
    }
  }
}
