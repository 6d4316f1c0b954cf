/// Whether the tag still knows a bond that this machine has.
///
/// Only newer BlueZ says that it does not. Before, Linux encrypts as soon as the link is up, the tag has no key, and the
/// link is gone again within milliseconds: `Connect` fails with le-connection-abort-by-local, or succeeds and the link is
/// lost before its services are resolved (seen on kernel 6.12 and BlueZ 5.66). Bad radio does the same, to two in five
/// attempts where libraries complain of it; so many in a row, over a quarter of a minute, it does not.
struct BondDoubt {
  private static let enough = 7
  /// A link that ends for want of a key ends sooner.
  static let brief: Duration = .seconds(2)

  private var inARow = 0

  /// - Parameter length: from `Connect` to the failure.
  /// - Returns: whether there is no doubt any more that the bond is lost.
  mutating func attemptFailed(_ code: JacquardError.Code, at step: UInt32, after length: Duration) -> Bool {
    let isTypical =
      (step == Step.tagKnown.rawValue && code == .connectFailed)
      || (step == Step.linkUp.rawValue && code == .connectionLost)
    if isTypical, length < Self.brief { inARow += 1 } else { inARow = 0 }
    return inARow >= Self.enough
  }

  mutating func linkHolds() { inARow = 0 }
}
