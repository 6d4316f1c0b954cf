import Sharing

extension ServiceFailure {
  init(_ error: JacquardError) {
    self.init(
      code: error.code.rawValue, attCode: error.attCode, tagStatus: error.tagStatus, systemErrno: error.systemErrno,
      message: error.message, advice: error.advice)
  }
}

extension JacquardError {
  /// An error of the service.
  init(_ failure: ServiceFailure) {
    self.init(
      Code(rawValue: failure.code) ?? .internalError, failure.message.printable, advice: failure.advice.printable)
    attCode = failure.attCode
    tagStatus = failure.tagStatus
    systemErrno = failure.systemErrno
  }

  public init(_ error: SharingError) {
    switch error {
    case .cancelled: self = .cancelled
    case .noDirectory, .system:
      self.init(.system, error.message)
      systemErrno = error.code
    }
  }
}
