import JacquardWire
import Sharing

/// What messages contain, in the terms of this module.
extension ServiceMessage {
  /// - Parameter numbers: those before the error's.
  init(_ kind: Kind, _ numbers: UInt32..., error: JacquardError) {
    self.init(kind, numbers + Self.numbers(error), [error.message, error.advice])
  }

  private static func numbers(_ error: JacquardError) -> [UInt32] {
    [
      UInt32(bitPattern: error.code.rawValue), UInt32(error.attCode), error.tagStatus,
      UInt32(bitPattern: error.systemErrno),
    ]
  }

  /// - Parameter index: that of its first number. Nil if there is no error.
  func error(at index: Int) -> JacquardError? {
    guard number(index) != 0 else { return nil }
    var error = JacquardError(
      JacquardError.Code(rawValue: Int32(bitPattern: number(index))) ?? .internalError, text(0).printable,
      advice: text(1).printable)
    error.attCode = UInt8(truncatingIfNeeded: number(index + 1))
    error.tagStatus = number(index + 2)
    error.systemErrno = Int32(bitPattern: number(index + 3))
    return error
  }

  static var welcome: ServiceMessage {
    ServiceMessage(.welcome, [version, UInt32(bitPattern: JacquardError.ownProcess)])
  }

  init(_ state: ConnectionState) {
    self.init(
      .state,
      [state.phase.rawValue, state.step, state.attempt, state.disconnectReason.rawValue]
        + (state.reason.map(Self.numbers) ?? []), state.reason.map { [$0.message, $0.advice] } ?? [])
  }

  init(_ mode: GearMonitor.Mode) {
    self.init(.touchMode, [mode.touchMode.rawValue, UInt32(bitPattern: mode.process)])
  }

  init(_ gear: ComponentInfo?, _ mode: GearMonitor.Mode?, _ report: UnsafeRawBufferPointer) {
    let firmware = gear?.firmware ?? TagInfo.Version(major: 0, minor: 0, point: 0)
    self.init(
      .gear,
      [
        mode?.touchMode.rawValue ?? 0, firmware.major, firmware.minor, firmware.point,
        UInt32(bitPattern: mode?.process ?? 0),
      ], [gear?.uuid ?? ""], payload: report)
  }

  var firmware: TagInfo.Version { TagInfo.Version(major: number(1), minor: number(2), point: number(3)) }
}

/// What a program wants with one tag.
struct LinkRequest {
  enum Purpose: UInt32 {
    case link = 0
    /// The program wants the tag for itself: the service only releases it.
    case release = 2
    /// The service only removes the bonds of the tag.
    case unbind = 4
    /// The program has the link itself, and asks whether the service would accept it.
    case inquire = 6
  }

  /// The bus's ID, which is different for each instance of a bus.
  let bus: String
  /// The tag's identifier.
  let tag: String
  /// The address of the adapter; empty for any.
  let adapter: String
  /// The code printed on the tag, for a program that binds it; otherwise empty.
  let code: String
  /// The tag is bound for this program, so BlueZ must have its bond.
  let isBound: Bool
  let purpose: Purpose
  /// The gear that streamed touches for this program before; a service that has just been started does not know it.
  let streaming: GearMonitor.Streaming?
  /// This program has set touch mode, unlike others that only received the touches.
  let hasSetMode: Bool

  var message: ServiceMessage {
    let flags = (isBound ? 1 : 0) | purpose.rawValue | (hasSetMode ? 8 : 0)
    return ServiceMessage(
      .hello, [ServiceMessage.version, flags, streaming?.vendorID ?? 0, streaming?.productID ?? 0],
      [bus, tag, adapter, code])
  }
}

extension LinkRequest {
  init(_ hello: ServiceMessage) {
    self.init(
      bus: hello.text(0), tag: hello.text(1), adapter: hello.text(2), code: hello.text(3),
      isBound: hello.number(1) & 1 != 0, purpose: Purpose(rawValue: hello.number(1) & 6) ?? .link,
      streaming: hello.number(2) == 0
        ? nil : .init(vendorID: hello.number(2), productID: hello.number(3), process: 0),
      hasSetMode: hello.number(1) & 8 != 0)
  }
}
