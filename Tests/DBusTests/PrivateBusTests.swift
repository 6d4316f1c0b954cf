import EventLoop
import Glibc
import PrivateBus
import Testing

@Suite("A private bus")
struct PrivateBusTests {
  @Test("can be killed and restarted repeatedly without leaving anything")
  func restart() async {
    await #expect(processExitsWith: .success) {
      let before = descriptorCount()
      var path = ""
      do {
        let bus = try PrivateBus()
        path = bus.socketPath
        for _ in 0..<40 { try bus.restart() }
        bus.kill()
        bus.kill()
        #expect(!bus.isRunning)
        try bus.start()
        try bus.start()
      }
      #expect(access(path, F_OK) != 0)
      #expect(descriptorCount() < before + 10)
      // No child is left, running or unreaped.
      errno = 0
      let status = waitpid(-1, nil, WNOHANG)
      let reason = errno
      #expect(status == -1)
      #expect(reason == ECHILD)
    }
  }
}
