import BlueZ
import EventLoop

extension Core {
  /// ATT's insufficient authentication, key size and encryption, which BlueZ reports as one error.
  private static let insufficientSecurity: Set<UInt8> = [0x05, 0x0c, 0x0f]

  /// The error of BlueZ 5.69 and later if the tag has no key for the bond.
  private static let keyMissing = "key-missing"

  /// Interprets a failure, depending on whether there is a bond.
  func explained(
    _ error: JacquardError, _ device: Device, bondIsLost: Bool, bondIsDemanded: Bool
  ) -> JacquardError {
    let isInsecure = Self.insufficientSecurity.contains(error.attCode)
    if device.isBonded, bondIsLost || isInsecure || error.message.includes(Self.keyMissing) {
      return error.meaning(.bondLost)
    }
    return (isInsecure || bondIsDemanded) && !device.isBonded ? error.meaning(.notBound) : error
  }

  /// Returns whether there were any.
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

  /// A tag that is bound here has a bond, unless another program has removed it from BlueZ. Without the bond,
  /// connecting would work at best without encryption and mostly fail. BlueZ exports a device together with its bond.
  func checkBond(_ identifier: TagIdentifier) async throws(JacquardError) {
    try await refresh(identifier)
    let hasBond = try await cache.changes.until(within: deadlines.bondDelay, on: loop) {
      [self] () throws(JacquardError) in
      devices(of: identifier, maybe: true).contains(where: \.hasBond) ? true : nil
    }
    guard hasBond != nil else {
      throw JacquardError(
        .notBound, "The tag is bound here, but the Bluetooth service no longer has a bond with it.")
    }
  }
}

extension JacquardError {
  fileprivate func meaning(_ code: Code) -> JacquardError {
    var error = JacquardError(code, "\(code.text) (\(message))")
    error.attCode = attCode
    error.dbusName = dbusName
    return error
  }
}
