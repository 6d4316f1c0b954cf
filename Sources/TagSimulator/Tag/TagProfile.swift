/// The identity and behaviour of a software tag, fixed before a host connects.
public struct TagProfile: Sendable {
  /// The result of a pairing request. A fleeting bond ends with the link: the keys are not stored.
  public enum Pairing: String, CaseIterable, Sendable { case accepted, fleeting, refused }

  public var serial: String
  public var name: String
  public var address: String
  public var vendor = "Google Inc."
  public var model = "UJT"
  public var vendorID: UInt32 = 0x1178_30c8
  public var productID: UInt32 = 0x283b_e7a0
  public var revision: UInt32 = 4
  public var uuid = "0-07-0000AAAAA00000-0000"
  public var firmware = Version(1, 96, 0)
  public var bootloader = Version(1, 0, 0)
  public var protocolVersions: ClosedRange<UInt32> = 2...2
  public var behaviour = TagBehaviour()
  public var requiresBond = false
  /// Sends no notifications automatically; responses and packets of a scenario are still sent.
  public var isMute = false
  public var pairing = Pairing.accepted

  /// How long a host must wait for a response before its next request: during set-up, and afterwards.
  public var setUpResponseTimeLimit: Duration = .seconds(2)
  public var responseTimeLimit: Duration = .seconds(8)
  /// The longest time from the acceptance of a write until the tag has received it.
  var deliveryTime: Duration = .milliseconds(100)
  public var sleepAfter: Duration = .seconds(600)
  public var rebootTime: Duration = .seconds(1)

  public init(serial: String, address: String) {
    self.serial = serial
    self.name = "Jacquard-\(serial)"
    self.address = address
  }

  /// The tag with number `index` in a simulation; each has a different serial number and address.
  public static func numbered(_ index: Int) -> TagProfile {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    let serial = index == 0 ? "01ZK" : "T" + String([index / 1296, index / 36, index].map { digits[$0 % 36] })
    var profile = TagProfile(serial: serial, address: "C0:1A:DA:00:\(pair(index >> 8)):\(pair(index))")
    // A tag advertises the end of its full serial number.
    profile.uuid = "0-07-0000AAAAA0\(serial)-0000"
    return profile
  }

  private static func pair(_ number: Int) -> String { hex([UInt8(number & 0xff)]).uppercased() }
}

/// A firmware version.
public struct Version: Equatable, Comparable, Sendable, CustomStringConvertible {
  public var major: UInt32
  public var minor: UInt32
  public var point: UInt32

  public init(_ major: UInt32, _ minor: UInt32, _ point: UInt32) {
    self.major = major
    self.minor = minor
    self.point = point
  }

  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) }
    guard parts.count == 3, let major = parts[0], let minor = parts[1], let point = parts[2] else { return nil }
    self.init(major, minor, point)
  }

  public static func < (left: Version, right: Version) -> Bool {
    (left.major, left.minor, left.point) < (right.major, right.minor, right.point)
  }

  public var description: String { "\(major).\(minor).\(point)" }
}
