import BlueZ

/// Whether the tag still knows a bond that this machine has.
///
/// BlueZ reports it from 5.83 on. Before, Linux encrypts as soon as the link is up, the tag has no key, and the link ends
/// within milliseconds, before its services are resolved: `Connect` fails or succeeds, but the link was up in 18 of 18
/// attempts (kernel 6.12, BlueZ 5.66). A link that could not be established (HCI 0x3e) never was, or it is shown as up for
/// six connection intervals. Such attempts neither count nor end the row; nor does one that hangs.
struct BondDoubt {
  /// At the pauses between attempts these take 8 s, and what each attempt takes.
  private static let enough = 6
  /// A link that ends for want of a key was up for 14 to 25 ms; one that is not established for 180 ms at the least, six
  /// intervals of 30 ms (Core Specification, volume 6, part B, 4.5), and for 0.3 s when it was seen.
  private static let brief: Duration = .milliseconds(150)

  private var inARow = 0

  /// An attempt on a bonded device failed before the services were resolved.
  ///
  /// - Returns: whether there is no doubt left that the bond is lost.
  mutating func attemptFailed(_ link: LinkPeriod?) -> Bool {
    if let length = link?.length, length < Self.brief { inARow += 1 }
    return inARow >= Self.enough
  }

  mutating func linkHolds() { inARow = 0 }
}
