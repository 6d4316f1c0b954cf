import BlueZ
import EventLoop

/// Suspects that the tag has lost its bond with this machine.
///
/// BlueZ reports it from 5.83 on. Before that, the sign is that the tag refuses to encrypt the link with the bond: see
/// `Device.refusedEncryption`. A link that another side ends as soon as it is encrypted looks the same, so this is a
/// reason, and never ends a connection. Links that cannot be established, that are lost, or whose end shows nothing
/// neither count nor reset the count, however many they are.
struct LostBondDetector {
  /// Several, because another program, or suspend, can end a link at the very time that a refusal would.
  private static let enough = 3

  private var refusals = 0
  /// The time of the refusal that was enough.
  private(set) var suspectedSince: LoopInstant?

  /// Records the end of an attempt.
  mutating func attemptFailed(_ device: Device, at now: LoopInstant) {
    guard device.isBonded, device.refusedEncryption, device.disconnection == nil else { return }
    refusals += 1
    if refusals == Self.enough { suspectedSince = now }
  }

  mutating func linkHolds() { self = LostBondDetector() }
}

/// Detects a tag that requires a bond that this machine does not have.
///
/// ATT reports it, but on a machine without a pairing agent BlueZ does not pass it on: it tries to pair, fails, and
/// never sends another request on that link, which stays up.
///
/// * 5.66 sends no reply to StartNotify on any link.
/// * 5.82 does the same on the first link. On the next link it does not complete service discovery, because it
///   subscribes by itself before that.
/// * 5.87 replies to StartNotify with ATT's "unlikely error", and ends the next links by itself.
///
/// A tag that merely does not respond looks the same, and so does a list of services that BlueZ has stored and the tag
/// has changed. Therefore the device is removed from BlueZ after two consecutive links that stop this way, and the tag
/// is assumed to require a bond if the first link after a new discovery stops as well.
struct MissingBondDetector {
  static let unlikelyError: UInt8 = 0x0e
  private static let enough = 2

  private var inARow = 0
  private var removed: Device?

  var isSuspected: Bool { inARow > 0 }

  mutating func linkStopped() { inARow += 1 }

  /// Whether a link to `device` that has stopped shows that the tag requires a bond.
  func isProven(by device: Device) -> Bool { removed.map { $0 !== device } ?? false }

  /// Whether the device is to be removed, so that the next link follows a new discovery.
  var needsDiscovery: Bool { inARow >= Self.enough }

  mutating func wasRemoved(_ device: Device) { removed = device }

  mutating func subscriptionAnswered() { self = MissingBondDetector() }
}
