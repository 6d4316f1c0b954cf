import EventLoop
import Glibc

/// A process of another user; only root can start it. It runs lines of Python, and then waits to be killed.
public final class OtherUser {
  public static let id: uid_t = 65534
  private let output: UnsafeMutablePointer<FILE>
  private let process: pid_t

  /// - Parameter lines: Python code without single quotation marks. `os` and `socket` are imported.
  public init(_ lines: String...) throws {
    let begin = ["import os, signal, socket", "os.setgid(\(Self.id))", "os.setuid(\(Self.id))"]
    let program = (begin + lines + ["print(os.getpid(), flush=True)", "signal.pause()"]).joined(separator: "; ")
    guard let output = popen("exec python3 -c '\(program)'", "r") else { throw SystemError.last("popen") }
    self.output = output
    var line = [CChar](repeating: 0, count: 32)
    fgets(&line, Int32(line.count), output)
    process = atoi(line)
    guard process > 0 else { throw SystemError(code: ECHILD, call: "python3") }
  }

  deinit {
    kill(process, SIGKILL)
    pclose(output)
  }
}
