import DBus
import EventLoop
import Glibc

extension FakeBlueZ {
  /// Returns when the calls of all processes that have ended are handled: the bus may still have to deliver them.
  public func handleLastCalls() async {
    guard let connection, isRunning else { return }
    for name in (try? await connection.names()) ?? [] where name.hasPrefix(":") {
      // A client without a process has left in the meantime: the bus delivered its calls before this reply.
      guard let process = try? await connection.process(of: name), Glibc.kill(process, 0) != 0, errno == ESRCH
      else { continue }
      let gone = Completion<Void, CancellationError>()
      let watch = try? await connection.watchName(name) { if $0 == nil { gone.succeed(()) } }
      if watch != nil { try? await gone.value() }
      watch?.cancel()
    }
  }
}
