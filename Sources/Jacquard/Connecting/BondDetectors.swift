import BlueZ

/// Detects that the tag has lost its bond with this machine.
///
/// BlueZ reports it from 5.83 on. Before that, the evidence is that the tag refuses to encrypt the link with the bond:
/// see `Device.refusedEncryption`. Links that cannot be established, that are lost, or whose end shows nothing neither
/// count nor reset the count, however many they are.
struct LostBondDetector {
  /// Several, because another program, or suspend, can end a link at the very time that a refusal would.
  private static let enough = 3

  private var refusals = 0

  /// Records the end of an attempt.
  ///
  /// - Returns: whether the bond is lost.
  mutating func attemptFailed(_ device: Device) -> Bool {
    if device.isBonded, device.refusedEncryption { refusals += 1 }
    return device.isBonded && refusals >= Self.enough
  }

  mutating func linkHolds() { refusals = 0 }
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
/// A tag that merely does not respond looks the same, so the tag is assumed to require a bond only after two
/// consecutive links stop this way.
struct MissingBondDetector {
  static let unlikelyError: UInt8 = 0x0e
  private static let enough = 2

  private var inARow = 0

  var isSuspected: Bool { inARow > 0 }

  /// Returns whether the tag requires a bond.
  mutating func linkStopped() -> Bool {
    inARow += 1
    return inARow >= Self.enough
  }

  mutating func subscriptionAnswered() { inARow = 0 }
}
