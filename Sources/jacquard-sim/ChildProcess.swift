import EventLoop
import Glibc

/// The program under test, with our descriptors, our process group, and a slightly changed environment.
struct ChildProcess {
  let process: pid_t

  /// - Parameter listener: becomes descriptor 3, as in sd_listen_fds(3). Such a process is a service: it has no
  ///   terminal.
  init(_ command: [String], environment changes: [(String, String)], listener: Int32? = nil) throws {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var standard = sigset_t()
    sigemptyset(&standard)
    for number in [SIGINT, SIGTERM, SIGCHLD, SIGHUP] { sigaddset(&standard, number) }
    posix_spawnattr_setsigdefault(&attributes, &standard)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    let variables: [UnsafeMutablePointer<CChar>?] = Self.environment(changes).map { strdup($0) } + [nil]
    defer {
      for text in arguments + variables { free(text) }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Needed even if the listener is descriptor 3, because that is close-on-exec.
    if let listener {
      posix_spawn_file_actions_adddup2(&actions, listener, 3)
      // A service sends its warnings about a tag to the tag's programs.
      for standard in STDIN_FILENO...STDERR_FILENO {
        posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
      }
    }
    var process: pid_t = 0
    let status = posix_spawnp(&process, command[0], &actions, &attributes, arguments, variables)
    guard status == 0 else { throw SystemError(code: status, call: command[0]) }
    self.process = process
  }

  func signal(_ number: Int32) { kill(process, number) }

  /// The exit status as a shell reports it, after the process has ended.
  func reap() -> Int32? {
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }

  private static func environment(_ changes: [(String, String)]) -> [String] {
    var variables: [String] = []
    var next = environ
    while let text = next.pointee {
      let variable = String(cString: text)
      if !changes.contains(where: { variable.hasPrefix($0.0 + "=") }) { variables.append(variable) }
      next += 1
    }
    return variables + changes.map { "\($0.0)=\($0.1)" }
  }
}
