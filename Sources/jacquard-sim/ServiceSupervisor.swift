import EventLoop
import Glibc

/// Runs jacquardd for the private bus, on its own socket, and starts it again if it ends. The user's service is never
/// used for a private bus.
final class ServiceSupervisor {
  /// The time between an end of the service and its next start.
  private static let pause: Duration = .milliseconds(100)

  private let loop: EventLoop
  private let bus: String
  private let folder: String
  private let listener: SharedDescriptor
  private var process: ChildProcess?
  private var isStopping = false

  /// Nil if there is no jacquardd beside this program or in $PATH.
  init?(_ loop: EventLoop, bus: String) throws {
    self.loop = loop
    self.bus = bus
    var template = Array("/tmp/jacquard-sim-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(code: errno, call: "mkdtemp") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Programs that connect before the service runs wait for it.
    listener = try Self.listen(folder + "/socket")
    guard start() else {
      stop()
      return nil
    }
  }

  /// Call it when the simulation is over.
  func stop() {
    isStopping = true
    process?.signal(SIGTERM)
    unlink(folder + "/socket")
    rmdir(folder)
  }

  /// The value of $JACQUARD_SERVICE.
  var path: String { folder + "/socket" }

  private static func listen(_ path: String) throws -> SharedDescriptor {
    let socket = SharedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
    guard let address = UnixAddress(path: path), address.withPointer({ bind(socket.rawValue, $0, $1) }) == 0,
      Glibc.listen(socket.rawValue, 64) == 0
    else { throw SystemError(code: errno, call: "cannot listen at \(path)") }
    return socket
  }

  @discardableResult
  private func start() -> Bool {
    for program in [Self.neighbour, "jacquardd"] {
      process = try? ChildProcess(
        [program, "--bus", bus], environment: [("LISTEN_FDS", "1")], listener: listener.rawValue)
      if process != nil { return true }
    }
    return false
  }

  /// jacquardd in the directory of this program.
  private static var neighbour: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    let own = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/jacquardd"
  }

  /// Called for SIGCHLD.
  func reap() {
    guard process?.reap() != nil, !isStopping else { return }
    process = nil
    loop.schedule(after: Self.pause) { [weak self] in
      if let self, !isStopping { start() }
    }
  }
}
