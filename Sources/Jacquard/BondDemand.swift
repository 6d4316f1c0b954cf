/// Whether the tag demands a bond that this machine does not have.
///
/// ATT says so, but on a machine without a pairing agent BlueZ 5.66 does not pass it on: it tries to pair, is refused, and
/// never sends another request on that link, so that StartNotify stays unanswered while the link stays up. A tag that is
/// merely silent looks the same; one that answered the discovery of its services, keeps its link and leaves this one
/// request unanswered on two links in a row is taken to demand a bond.
struct BondDemand {
  private static let enough = 2

  private var inARow = 0

  /// Returns whether there is no doubt left.
  mutating func subscriptionUnanswered() -> Bool {
    inARow += 1
    return inARow >= Self.enough
  }

  mutating func subscriptionAnswered() { inARow = 0 }
}
