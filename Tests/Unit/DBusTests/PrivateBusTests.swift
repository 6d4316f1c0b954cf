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

  @Test("starts although signals interrupt its caller")
  func interrupted() async {
    await #expect(processExitsWith: .success) {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGUSR1, &action, nil)
      // Threads of libdispatch block signals.
      var signals = sigset_t()
      sigaddset(&signals, SIGUSR1)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      let caller = pthread_self()
      var interrupter = pthread_t()
      let status = pthread_create(
        &interrupter, nil,
        { caller in
          // The caller makes progress during the pauses. This thread ends with the process.
          while let caller, pthread_kill(pthread_t(bitPattern: caller), SIGUSR1) == 0 { usleep(200) }
          return nil
        }, UnsafeMutableRawPointer(bitPattern: UInt(caller)))
      #expect(status == 0)
      let bus = try PrivateBus()
      for _ in 0..<10 { try bus.restart() }
      #expect(bus.isRunning)
    }
  }
}
