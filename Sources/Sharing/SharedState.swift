/// The state of the host's connection, in the numbers of the header.
public struct SharedState: Equatable, Sendable {
  public var phase: UInt32
  public var step: UInt32
  public var attempt: UInt32
  public var disconnectReason: UInt32
  /// Why the last attempt or link ended.
  public var reason: SharedFailure?

  public init(
    phase: UInt32, step: UInt32 = 0, attempt: UInt32 = 0, disconnectReason: UInt32 = 0, reason: SharedFailure? = nil
  ) {
    self.phase = phase
    self.step = step
    self.attempt = attempt
    self.disconnectReason = disconnectReason
    self.reason = reason
  }
}

/// An error of the host, in the numbers of the header.
public struct SharedFailure: Error, Equatable, Sendable {
  public var code: Int32
  public var attCode: UInt8
  public var tagStatus: UInt32
  public var systemErrno: Int32
  public var message: String
  public var advice: String

  public init(
    code: Int32, attCode: UInt8 = 0, tagStatus: UInt32 = 0, systemErrno: Int32 = 0, message: String, advice: String
  ) {
    self.code = code
    self.attCode = attCode
    self.tagStatus = tagStatus
    self.systemErrno = systemErrno
    self.message = message
    self.advice = advice
  }
}
