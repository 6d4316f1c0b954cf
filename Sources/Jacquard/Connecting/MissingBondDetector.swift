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
