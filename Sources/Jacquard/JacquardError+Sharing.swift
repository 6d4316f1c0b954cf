import EventLoop
import Glibc
import Sharing

/// Errors about other programs and the service.
extension JacquardError {
  static func inUse(by process: pid_t?) -> JacquardError {
    guard let process else { return JacquardError(.inUse, Code.inUse.text) }
    guard process != ownProcess else {
      return JacquardError(.inUse, "Another manager in this program is using this tag.")
    }
    return JacquardError(.inUse, "Another program is using this tag: \(description(ofProcess: process)).")
  }

  static let inUseByUnknown = JacquardError(
    .inUse,
    "The tag was already connected, and its notifications are enabled for a program that is not known or has just "
      + "ended.",
    advice: "None needed at first. If commands fail, stop the other programs that use the tag.")

  static func usedThroughService(by programs: String) -> JacquardError {
    JacquardError(.inUse, "Other programs use this tag through the service: \(programs).")
  }

  static func otherAdapter(_ adapter: String, of programs: String) -> JacquardError {
    JacquardError(.inUse, "The tag is used through the adapter \(adapter): \(programs).")
  }

  /// - Parameter kind: what the other program does; nil if it is not known.
  static func reserved(_ kind: ReservationKind? = nil, by process: Int32) -> JacquardError {
    let holder = process > 0 ? "Another program (\(description(ofProcess: process)))" : "Another program"
    return JacquardError(
      .busy, "\(holder) is \(kind?.activity ?? "using the tag for an operation that excludes this one").",
      advice: "Wait until the other program has finished.")
  }

  static let serviceEnded = JacquardError(
    .serviceUnavailable, "The Jacquard service that had the link to the tag has ended.",
    advice: "None needed: the library tries again.")

  static let handedOver = JacquardError(
    .connectionLost, "The link was given up for the Jacquard service, which has been started.",
    advice: adviceWhileHealing)

  static let serviceRestarts = JacquardError(
    .serviceUnavailable, "The Jacquard service does not accept connections; it may be restarting.",
    advice: adviceWhileHealing)

  /// The error of a command that was not answered in time although the service responds.
  static let serviceLate = JacquardError(
    .timeout, "The service did not have the command's response in time, or other programs' commands took too long.")

  static func noService(at path: String) -> JacquardError {
    JacquardError(
      .serviceUnavailable, "No Jacquard service listens at \(path), which JACQUARD_SERVICE names.",
      advice: "Start it: jacquardd --socket \(path)")
  }

  static func noAccess(to path: String) -> JacquardError {
    JacquardError(
      .serviceUnavailable, "This user may not use the Jacquard service at \(path).",
      advice: "Become a member of the group that has the socket (sudo usermod -aG jacquard USER), and log in again.")
  }

  /// - Parameter process: 0 if it is not known, because the service has not welcomed this program yet.
  static func serviceHangs(_ process: Int32) -> JacquardError {
    let name = process > 0 ? " (\(description(ofProcess: process)))" : ""
    return JacquardError(
      .serviceUnavailable, "The Jacquard service\(name) does not respond.",
      advice:
        "If this persists, end it: systemctl --user restart jacquardd, or, where there is no systemd: "
        + "pkill -x jacquardd.")
  }

  /// A program of another release wants something of the service that this release does not know.
  static func unknownPurpose(service: Int32, program: Int32) -> JacquardError {
    JacquardError(
      .serviceUnavailable,
      "The Jacquard service (process \(service)) does not know what the program (process \(program)) wants with the "
        + "tag, because their releases differ.",
      advice: "None needed during an upgrade; otherwise restart the service.")
  }

  /// Service and program use different versions of their protocol.
  static func versions(
    service: (version: UInt32, process: Int32), program: (version: UInt32, process: Int32)
  ) -> JacquardError {
    JacquardError(
      .serviceUnavailable,
      "The Jacquard service (process \(service.process)) uses version \(service.version) of its protocol, and "
        + "the program (process \(program.process)) version \(program.version).",
      advice: "None needed during an upgrade; otherwise restart the service.")
  }

  /// The error for commands: to them, the end of the service is the loss of their link.
  var ofCommands: JacquardError {
    code == .serviceUnavailable ? JacquardError(.connectionLost, message, advice: advice) : self
  }

  static var ownProcess: pid_t { getpid() }

  static func description(ofProcess process: pid_t) -> String {
    programName(of: process).map { "\($0), process \(process)" } ?? "process \(process)"
  }

  /// The name that `ps` shows, up to 15 bytes chosen by the program; nil if it is not readable.
  private static func programName(of process: pid_t) -> String? {
    let file = OwnedDescriptor(taking: open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC))
    guard file.rawValue >= 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file.rawValue, &bytes, bytes.count)
    guard count > 1 else { return nil }
    // Control characters could reach terminals.
    let printable = bytes.prefix(count - 1).map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }
    return String(decoding: printable, as: UTF8.self)
  }

  /// Converts a missing directory or a failed system call to `system`, with its error number.
  public init(_ error: SharingError) {
    switch error {
    case .cancelled: self = .cancelled
    case .unusable, .system:
      self.init(.system, error.message)
      systemErrno = error.code
    }
  }
}
