import BlueZ
import DBus
import EventLoop
import JacquardWire

extension JacquardError {
  /// A status that a tag answered with.
  init(tagStatus status: UInt32) {
    let known = TagStatus(rawValue: status)
    self.init(.tagStatus, "The tag responded \"\(known)\"\(known.meaning.map { ": \($0)" } ?? "").")
    tagStatus = status
  }

  /// A failed operation of BlueZ. `code` is for those that BlueZ does not explain further.
  init(_ error: BlueZError, otherwise code: Code) {
    let known: Code =
      switch error.kind {
      case .unavailable: .bluezUnavailable
      case .objectGone: .deviceGone
      case .deadline: .timeout
      case .accessDenied: .permissionDenied
      case .notReady: .poweredOff
      case .notConnected: .connectionLost
      case .att: .gatt
      default: code
      }
    // What the bus says of an object that is gone is about methods and signatures.
    let detail = error.kind == .objectGone ? "" : error.message
    self.init(known, detail.isEmpty ? known.text : "\(known.text.dropLast()): \(ended(detail))")
    if error.isOfClassicRadio { advice = Self.adviceForClassicRadio }
    dbusName = error.name
    if case .att(let number) = error.kind { attCode = number }
  }

  /// For what the library mends by itself.
  static let adviceWhileHealing = "None needed: the library continues when the service is available again."

  private static let adviceForClassicRadio =
    "BlueZ treats the tag as a Bluetooth Classic device: set ControllerMode = le in /etc/bluetooth/main.conf."

  init(_ error: BusError) {
    self.init(.busUnavailable, sentence(error))
  }

  /// Any error of the modules below as ours.
  init(describing error: any Error, otherwise code: Code) {
    self =
      switch error {
      case let error as JacquardError: error
      case let loss as LinkLoss: loss.error
      case let error as BlueZError: JacquardError(error, otherwise: code)
      case let error as BusError: JacquardError(error)
      case is DeadlineExceeded: JacquardError(.timeout, Code.timeout.text)
      default: JacquardError(.internalError, "\(error)")
      }
  }
}

/// What an error of the modules below says, as our messages are.
func sentence(_ error: some Error) -> String {
  let text = "\(error)"
  return ended(text.prefix(1).uppercased() + text.dropFirst())
}

private func ended(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }
