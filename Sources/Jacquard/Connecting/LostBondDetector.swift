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
