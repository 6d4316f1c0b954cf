/// The time limits of sharing.
public struct SharingDeadlines: Sendable {
  /// From hello to welcome. A host that takes longer hangs. The host closes connections without a hello after the same
  /// time.
  public var welcome: Duration = .seconds(2)
  /// From the choice of a host until it accepts guests.
  public var start: Duration = .seconds(2)
  /// For all attempts of `MeetingPlace.enter` together.
  public var entry: Duration = .seconds(20)

  public init() {}
}
