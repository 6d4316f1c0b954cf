import BlueZ

/// Detects that the tag has lost its bond with this machine.
///
/// BlueZ reports it from 5.83 on. Before that, Linux starts encryption as soon as the link is up, the tag has no key,
/// and the link ends within milliseconds, before its services are resolved. `Connect` may fail or succeed, but the link
/// was up in 18 of 18 attempts (kernel 6.12, BlueZ 5.66). A link that could not be established (HCI 0x3e) is never
/// reported as up, or is reported as up for six connection intervals. These attempts and attempts that hang neither
/// count nor reset the count.
struct LostBondDetector {
  /// Including the pauses between attempts, this takes 8 s plus the duration of each attempt.
  private static let enough = 6

  private var inARow = 0

  /// Records that an attempt on a bonded device failed before the services were resolved.
  ///
  /// - Returns: whether the bond is lost.
  mutating func attemptFailed(_ link: LinkPeriod?) -> Bool {
    if let length = link?.length, length < Deadlines.briefLink { inARow += 1 }
    return inARow >= Self.enough
  }

  mutating func linkHolds() { inARow = 0 }
}
