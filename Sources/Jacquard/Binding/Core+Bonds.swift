import BlueZ
import EventLoop

extension Core {
  /// ATT's insufficient authentication, key size and encryption, which BlueZ reports as one error.
  private static let insufficientSecurity: Set<UInt8> = [0x05, 0x0c, 0x0f]

  /// The error of BlueZ 5.69 and later if the tag has no key for the bond.
  private static let keyMissing = "key-missing"

  /// Interprets a failure, depending on whether there is a bond. Statements of BlueZ or the tag are certain.
  func explained(
    _ error: JacquardError, _ device: Device, isSuspicious: Bool, bondIsDemanded: Bool
  ) -> JacquardError {
    let isInsecure = Self.insufficientSecurity.contains(error.attCode)
    let isStated =
      device.isBonded
      ? isInsecure || error.lossReason == .authentication || error.message.includes(Self.keyMissing)
      : isInsecure || bondIsDemanded
    guard isStated || isSuspicious else { return error }
    return error.meaning(device.isBonded ? .bondLost : .notBound, isSuspicion: !isStated)
  }

  /// Removes the tag's bonds. Returns whether there were any.
  func removeBonds(_ identifier: TagIdentifier) async throws(JacquardError) -> Bool {
    try await refresh(identifier)
    let devices = bondedDevices(identifier)
    for (adapter, device) in devices {
      do throws(BlueZError) {
        try await adapter.remove(device)
      } catch {
        guard error.kind == .doesNotExist || error.kind == .objectGone else {
          throw JacquardError(error, otherwise: .adapterRefused)
        }
      }
    }
    deviceIndex.bondWasRemoved(from: identifier)
    return !devices.isEmpty
  }

  /// Whether BlueZ has the bond of a tag that is bound here. Without it, connecting would work at best without
  /// encryption and mostly fail. BlueZ exports a device together with its bond.
  func hasBond(_ identifier: TagIdentifier) async throws(JacquardError) -> Bool {
    try await refresh(identifier)
    return try await cache.changes.until(within: deadlines.bondDelay, on: loop) {
      [self] () throws(JacquardError) in
      devices(of: identifier, maybe: true).contains(where: \.hasBond) ? true : nil
    } ?? false
  }
}

extension JacquardError {
  static let bondMissing = JacquardError(
    .notBound, "The tag is bound here, but the Bluetooth service no longer has a bond with it.")

  /// Reported until the tag is received and there is still no bond.
  static let bondMayBeMissing = suspicion(
    .notBound, "The tag is bound here, but the Bluetooth service knows no bond with it.",
    advice: "If the tag was removed in the Bluetooth settings, bind it again.")

  fileprivate func meaning(_ code: Code, isSuspicion: Bool) -> JacquardError {
    var error =
      if !isSuspicion {
        JacquardError(code, "\(code.text) (\(message))")
      } else if code == .bondLost {
        Self.suspicion(
          code, "The tag may have lost its bond with this machine. (\(message))", advice: Self.adviceIfReset)
      } else {
        Self.suspicion(
          code, "The tag may require a bond with this machine. (\(message))", advice: Self.adviceIfBondIsRequired)
      }
    error.attCode = attCode
    error.dbusName = dbusName
    return error
  }

  private static let adviceIfReset =
    "None needed at first: the library keeps trying. If the tag was reset or bound elsewhere, bind it again."

  private static let adviceIfBondIsRequired =
    "None needed at first: the library tries again. If this persists, the tag may have to be bound."

  private static func suspicion(_ code: Code, _ message: String, advice: String) -> JacquardError {
    var error = JacquardError(code, message, advice: advice)
    error.isSuspicion = true
    return error
  }
}
