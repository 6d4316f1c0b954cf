/// Gear that the host has set up; empty if there is none.
public struct SharedGear: Equatable, Sendable {
  public var uuid = ""
  public var major: UInt32 = 0
  public var minor: UInt32 = 0
  public var point: UInt32 = 0
  /// In the numbers of the header; 0 if there is no gear.
  public var touchMode: UInt32 = 0

  public init() {}

  public init(uuid: String, major: UInt32, minor: UInt32, point: UInt32, touchMode: UInt32) {
    self.uuid = uuid
    (self.major, self.minor, self.point) = (major, minor, point)
    self.touchMode = touchMode
  }
}
