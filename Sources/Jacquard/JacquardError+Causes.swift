import BlueZ
import DBus
import EventLoop
import Glibc
import JacquardWire

extension JacquardError {
  /// An error status in a tag's response.
  init(tagStatus status: UInt32) {
    let known = TagStatus(rawValue: status)
    self.init(.tagStatus, "The tag responded \"\(known)\"\(known.meaning.map { ": \($0)" } ?? "").")
    tagStatus = status
  }

  /// An error status in the response to a command. Only a loaded module knows the requests of motion capture.
  static func refused(_ command: Command, status: UInt32) -> JacquardError {
    guard command.domain == Command.collectionStatus.domain, status == TagStatus.unsupported.rawValue else {
      return JacquardError(tagStatus: status)
    }
    var error = JacquardError(
      .tagStatus, "The motion module is not loaded.", advice: "Prepare the tag for motion first.")
    error.tagStatus = status
    return error
  }

  static let deviceGone = JacquardError(.deviceGone, Code.deviceGone.text)

  var isOfUnloadedModule: Bool { self == .refused(.collectionStatus, status: TagStatus.unsupported.rawValue) }

  /// A failed BlueZ operation. `code` is used if BlueZ gives no specific error.
  init(_ error: BlueZError, otherwise code: Code) {
    guard error.kind != .cancelled else {
      self = .cancelled
      return
    }
    let known: Code =
      switch error.kind {
      case .unavailable: .bluezUnavailable
      case .objectGone: .deviceGone
      case .deadline: .timeout
      case .accessDenied, .filtered: .permissionDenied
      case .notReady: .poweredOff
      case .notConnected: .connectionLost
      case .att: .gatt
      case .exhausted: .system
      default: code
      }
    // The bus's error for a removed object only mentions methods and signatures.
    let detail = error.kind == .objectGone ? "" : error.message
    let text = error.kind == .filtered ? "A sandbox does not let this program use Bluetooth." : known.text
    self.init(
      known, detail.isEmpty ? text : "\(text.dropLast()): \(ended(detail))",
      advice: error.kind == .filtered ? Self.adviceForFilter : nil)
    if error.isOfClassicRadio { advice = Self.adviceForClassicRadio }
    dbusName = error.name
    if case .att(let number) = error.kind { attCode = number }
  }

  /// The advice of errors that the library recovers from.
  static let adviceWhileHealing = "None needed: the library continues when the service is available again."

  private static let adviceForClassicRadio =
    "BlueZ treats the tag as a Bluetooth Classic device: set ControllerMode = le in /etc/bluetooth/main.conf."

  private static let adviceForFilter =
    "Allow the sandbox to talk to org.bluez on the system bus; Flatpak: --system-talk-name=org.bluez."

  private static let adviceForSocket =
    "The system forbids this program the socket of the bus: allow it where the program is confined (permissions of the "
    + "socket, seccomp, AppArmor; Snap: the interface bluez; systemd: RestrictAddressFamilies=AF_UNIX)."

  init(_ error: BusError) {
    self.init(.busUnavailable, sentence(error))
    guard case .unreachable(_, let number) = error else { return }
    systemErrno = number
    if [EACCES, EPERM, EAFNOSUPPORT].contains(number) { advice = Self.adviceForSocket }
  }
}

/// The text of a lower module's error, formatted like this module's messages.
func sentence(_ error: some Error) -> String {
  let text = "\(error)"
  return ended(text.prefix(1).uppercased() + text.dropFirst())
}

private func ended(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }
