import JacquardWire
import Sharing

/// The contents of messages in the terms of this module.
extension ErrorReport {
  /// No error if it is nil.
  init(_ error: JacquardError?) {
    self.init()
    guard let error else { return }
    self.init(
      code: error.code.rawValue, attCode: UInt32(error.attCode), tagStatus: error.tagStatus,
      systemErrno: error.systemErrno, message: error.message, advice: error.advice)
  }

  /// Nil if there is none.
  var error: JacquardError? {
    guard code != 0 else { return nil }
    var error = JacquardError(
      JacquardError.Code(rawValue: code) ?? .internalError, message.printable, advice: advice.printable)
    error.attCode = UInt8(truncatingIfNeeded: attCode)
    error.tagStatus = tagStatus
    error.systemErrno = systemErrno
    return error
  }
}

extension ServiceMessage {
  static var welcome: ServiceMessage {
    .welcome(.init(version: Version.current.rawValue, process: JacquardError.ownProcess))
  }

  static func refused(_ refusal: Refusal, _ error: JacquardError) -> ServiceMessage {
    .refused(.init(refusal: refusal, error: ErrorReport(error)))
  }

  static func failed(_ id: UInt32, _ error: JacquardError) -> ServiceMessage {
    .failed(.init(id: id, error: ErrorReport(error)))
  }

  static func busy(_ id: UInt32, _ error: JacquardError) -> ServiceMessage {
    .busy(.init(id: id, error: ErrorReport(error)))
  }

  static func state(_ state: ConnectionState) -> ServiceMessage {
    .state(
      .init(
        phase: state.phase.rawValue, step: state.step, attempt: state.attempt,
        disconnectReason: state.disconnectReason.rawValue, error: ErrorReport(state.reason)))
  }

  static func touchMode(_ mode: GearMonitor.Mode) -> ServiceMessage {
    .touchMode(.init(touchMode: mode.touchMode.rawValue, process: mode.process))
  }

  static func gear(
    _ gear: ComponentInfo?, _ mode: GearMonitor.Mode?, _ report: UnsafeRawBufferPointer
  ) -> ServiceMessage {
    let firmware = gear?.firmware
    return .gear(
      .init(
        touchMode: mode?.touchMode.rawValue ?? 0, major: firmware?.major ?? 0, minor: firmware?.minor ?? 0,
        point: firmware?.point ?? 0, process: mode?.process ?? 0, uuid: gear?.uuid ?? "", report: report))
  }
}

extension ProgramMessage.Hello {
  var streaming: GearMonitor.Streaming? {
    streamingVendor == 0 ? nil : .init(vendorID: streamingVendor, productID: streamingProduct, process: 0)
  }
}
