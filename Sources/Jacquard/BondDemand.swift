/// Whether the tag demands a bond that this machine does not have.
///
/// ATT says so, but on a machine without a pairing agent BlueZ does not pass it on: it tries to pair, is refused, and sends
/// no other request on that link, which stays up.
///
/// * 5.66 leaves StartNotify unanswered on each link.
/// * 5.82 does so on the first one, and on the next does not get to the end of its discovery of services, for it subscribes
///   by itself before that.
/// * 5.87 answers StartNotify with ATT's "unlikely error".
///
/// A tag that is merely silent looks the same. One that does this on two links in a row is taken to demand a bond.
struct BondDemand {
  static let unlikelyError: UInt8 = 0x0e
  private static let enough = 2

  private var inARow = 0

  var isSuspected: Bool { inARow > 0 }

  /// Returns whether there is no doubt left.
  mutating func linkStopped() -> Bool {
    inARow += 1
    return inARow >= Self.enough
  }

  mutating func subscriptionAnswered() { inARow = 0 }
}
