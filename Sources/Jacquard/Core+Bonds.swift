import BlueZ

extension Core {
  /// ATT's insufficient authentication, key size and encryption, which BlueZ tells as one.
  private static let insufficientSecurity: Set<UInt8> = [0x05, 0x0c, 0x0f]

  /// What a failure means in view of the bond that there is, or is not.
  func explained(_ error: JacquardError, _ device: Device) -> JacquardError {
    guard Self.insufficientSecurity.contains(error.attCode) else { return error }
    var explained = JacquardError(
      device.isBonded ? .bondLost : .notBound, (device.isBonded ? JacquardError.Code.bondLost : .notBound).text)
    explained.attCode = error.attCode
    explained.dbusName = error.dbusName
    return explained
  }
}
