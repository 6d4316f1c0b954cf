/// The tag's reaction to a request, set by a scenario; it replaces the regular response.
public struct Reaction: Equatable, Sendable {
  public enum Effect: Equatable, Sendable {
    case delay(Duration)
    case drop
    case status(UInt32)
    case disconnect
    case withoutPayload
    case wrongID
    case duplicate
    case garbage
    case latin1
    case corrupt(PacketDamage)
  }

  /// Nil for any request.
  public var kind: RequestKind?
  public var effect: Effect
  /// Nil if there is no limit.
  public var times: Int?

  public init(to kind: RequestKind?, _ effect: Effect, times: Int? = nil) {
    self.kind = kind
    self.effect = effect
    self.times = times
  }
}
