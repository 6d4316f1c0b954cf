import BlueZ

extension Core {
  /// ATT's insufficient authentication, key size and encryption, which BlueZ tells as one.
  private static let insufficientSecurity: Set<UInt8> = [0x05, 0x0c, 0x0f]

  /// What BlueZ 5.69 and later say when the tag has no key for the bond.
  private static let keyMissing = "key-missing"

  /// What a failure means in view of the bond that there is, or is not.
  func explained(_ error: JacquardError, _ device: Device, bondIsLost: Bool) -> JacquardError {
    let isInsecure = Self.insufficientSecurity.contains(error.attCode)
    if device.isBonded, bondIsLost || isInsecure || error.message.contains(Self.keyMissing) {
      return error.meaning(.bondLost)
    }
    return isInsecure && !device.isBonded ? error.meaning(.notBound) : error
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
