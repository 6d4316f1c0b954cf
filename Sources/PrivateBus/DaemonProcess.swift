import CLinux
import EventLoop
import Glibc

/// A child process that reports when it is ready, is reaped when it ends, and does not outlive this process.
///
/// The kernel ties a child's parent-death signal to the thread that created it. Therefore each child has its own thread
/// here, which starts it, waits for it, reaps it, and ends with it.
final class DaemonProcess: Sendable {
  /// The child's descriptor of the pipe on which it reports readiness with a line of text.
  static let readyDescriptor: Int32 = 3

  private struct State {
    var thread = pthread_t()
    var process: pid_t = 0
    var failure: Int32 = 0
  }

  private let state = Locked(State())

  /// Returns when the child is ready.
  init(_ arguments: [String], log: String) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError(code: errno, call: "pipe2") }
    let reading = SharedDescriptor(taking: ends[0])
    let writing = SharedDescriptor(taking: ends[1])

    let launch = Launch(self, arguments, log, writing)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Launch>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, Unmanaged.passRetained(launch).toOpaque())
    guard status == 0 else { throw SystemError(code: status, call: "pthread_create") }
    state.withLock { [thread] in $0.thread = thread }

    guard Self.readLine(from: reading) else {
      // A child may have closed the pipe and still run.
      end()
      throw SystemError(code: state.withLock { $0.failure == 0 ? ECHILD : $0.failure }, call: "posix_spawn")
    }
  }

  /// Returns false if the other end is closed before the end of the line.
  private static func readLine(from pipe: borrowing SharedDescriptor) -> Bool {
    var byte: UInt8 = 0
    while byte != UInt8(ascii: "\n") {
      let count = read(pipe.rawValue, &byte, 1)
      guard count == 1 || count < 0 && errno == EINTR else { return false }
    }
    return true
  }

  func signal(_ number: Int32) {
    // Reaping takes the same lock, so the PID still belongs to this child.
    state.withLock { if $0.process > 0 { _ = kill($0.process, number) } }
  }

  /// Kills the child; returns when it is reaped. Call it once.
  func end() {
    signal(SIGKILL)
    pthread_join(state.withLock { $0.thread }, nil)
  }

  private final class Launch: Sendable {
    let owner: DaemonProcess
    let arguments: [String]
    let log: String
    let ready: SharedDescriptor

    init(_ owner: DaemonProcess, _ arguments: [String], _ log: String, _ ready: SharedDescriptor) {
      self.owner = owner
      self.log = log
      self.arguments = arguments
      self.ready = ready
    }

    func run() {
      let process = spawn()
      ready.close()
      guard process > 0 else { return }
      var information = siginfo_t()
      while waitid(P_PID, id_t(process), &information, Int32(WEXITED | WNOWAIT)) != 0, errno == EINTR {}
      owner.state.withLock { state in
        state.process = 0
        var status: Int32 = 0
        waitpid(process, &status, 0)
      }
    }

    private func spawn() -> pid_t {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ready.rawValue, DaemonProcess.readyDescriptor)
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)

      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var none = sigset_t()
      sigemptyset(&none)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

      // setpriv sets the parent-death signal, then executes the daemon.
      let command = ["setpriv", "--pdeathsig", "KILL", "--"] + arguments
      let argv: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
      defer { for argument in argv { free(argument) } }
      var process: pid_t = 0
      // A caller that has seen the child's line must be able to signal it, even if this thread has not continued yet.
      let status = owner.state.withLock { state in
        let status = Spawning.excluded { posix_spawnp(&process, "setpriv", &actions, &attributes, argv, environ) }
        if status == 0 { state.process = process } else { state.failure = status }
        return status
      }
      return status == 0 ? process : 0
    }
  }
}
