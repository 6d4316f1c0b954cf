import EventLoop
import Glibc

/// A private dbus-daemon with a separate directory, high limits, full access for this user, and an address that
/// survives restarts. It ends with this object or with this process, however the process ends.
///
/// This is for tests and simulations; its functions block until the daemon is ready.
public final class PrivateBus: Sendable {
  /// The address of the bus in D-Bus syntax.
  public let address: String
  /// The path of the socket, or its name in the abstract namespace.
  public let socketPath: String
  private let directory: String
  private let daemon = Locked<DaemonProcess?>(nil)

  /// Returns when the daemon accepts connections.
  /// - Parameters:
  ///   - abstract: listen in the abstract namespace instead of at a path.
  ///   - mostMatchRules: the maximum number for a connection.
  public init(abstract: Bool = false, mostMatchRules: Int = 50_000) throws(SystemError) {
    var template = Array("/tmp/private-bus-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(code: errno, call: "mkdtemp") }
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    socketPath = directory + "/bus"
    address = (abstract ? "unix:abstract=" : "unix:path=") + socketPath
    try writeConfiguration(mostMatchRules)
    try start()
  }

  deinit {
    kill()
    for name in ["/bus", "/bus.conf", "/log", ""] { remove(directory + name) }
  }

  /// Whether the daemon has been started and not killed since; true while it is frozen.
  public var isRunning: Bool { daemon.withLock { $0 != nil } }

  /// Restarts the daemon after `kill`, at the same address.
  public func start() throws(SystemError) {
    try daemon.withLock { [socketPath, directory] daemon throws(SystemError) in
      guard daemon == nil else { return }
      unlink(socketPath)
      daemon = try DaemonProcess(
        [
          "dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile", "--nosyslog",
          "--print-address=\(DaemonProcess.readyDescriptor)",
        ], log: directory + "/log")
    }
  }

  /// Kills the daemon, which disconnects all clients.
  public func kill() {
    daemon.withLock { daemon in
      daemon?.end()
      daemon = nil
    }
  }

  /// Kills the daemon and starts another one at the same address. Clients are disconnected.
  public func restart() throws(SystemError) {
    kill()
    try start()
  }

  /// Stops the daemon with SIGSTOP: connections stay, but there are no replies.
  public func freeze() { daemon.withLock { $0?.signal(SIGSTOP) } }
  /// Continues a daemon that `freeze()` has stopped.
  public func thaw() { daemon.withLock { $0?.signal(SIGCONT) } }

  private func writeConfiguration(_ mostMatchRules: Int) throws(SystemError) {
    let limits = [
      "max_incoming_bytes": 1_000_000_000, "max_outgoing_bytes": 1_000_000_000, "max_message_size": 1_000_000_000,
      "max_completed_connections": 100_000, "max_incomplete_connections": 10_000,
      "max_connections_per_user": 100_000, "max_names_per_connection": 50_000,
      "max_match_rules_per_connection": mostMatchRules, "max_replies_per_connection": 50_000,
      "max_incoming_unix_fds": 10_000, "max_outgoing_unix_fds": 10_000, "max_message_unix_fds": 1_000,
    ]
    let text = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>\(address)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*"/>
          <allow receive_sender="*"/>
          <allow own="*"/>
        </policy>
        \(limits.map { "<limit name=\"\($0.key)\">\($0.value)</limit>" }.joined(separator: "\n  "))
      </busconfig>

      """
    let file = SharedDescriptor(taking: open(directory + "/bus.conf", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    guard file.rawValue >= 0 else { throw SystemError(code: errno, call: "open") }
    guard write(file.rawValue, text, text.utf8.count) == text.utf8.count else {
      throw SystemError(code: errno, call: "write")
    }
  }
}
