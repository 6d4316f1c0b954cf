import Sharing

extension SharedFailure {
  init(_ error: JacquardError) {
    self.init(
      code: error.code.rawValue, attCode: error.attCode, tagStatus: error.tagStatus, systemErrno: error.systemErrno,
      message: error.message, advice: error.advice)
  }
}

extension JacquardError {
  /// An error of the program that has the link.
  init(_ failure: SharedFailure) {
    self.init(
      Code(rawValue: failure.code) ?? .internalError, failure.message, advice: failure.advice.printable)
    attCode = failure.attCode
    tagStatus = failure.tagStatus
    systemErrno = failure.systemErrno
  }

  init(_ error: SharingError) {
    switch error {
    case .cancelled: self = .cancelled
    case .refused(.exclusive, let process): self = .inUse(by: process > 0 ? process : nil)
    case .refused: self.init(.inUse, error.message)
    case .unsettled: self.init(.timeout, error.message, advice: "None needed: the library keeps trying.")
    case .noDirectory, .system:
      self.init(.system, error.message)
      systemErrno = error.code
    }
  }

  /// The program that had the link has ended, or it hangs.
  static let hostEnded = JacquardError(
    .connectionLost, "The program that had the link to the tag has ended.", advice: adviceOnHandOver)
  static let hostHangs = JacquardError(
    .connectionLost, "The program that has the link to the tag does not respond.", advice: adviceOnHandOver)
  static let superseded = JacquardError(
    .connectionLost, "Another program has taken over the link to the tag, because this one did not respond.",
    advice: adviceOnHandOver)

  private static let adviceOnHandOver = "None needed: the connection continues through another program or this one."
}
