import EventLoop
import Glibc

/// The descriptor that the signal handler writes to. The handler must not do anything else.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// Delivers signals as events of a loop.
final class SignalWatch {
  /// A signal, and whether it came from the terminal, which sends it to every process of its group.
  struct Signal {
    var number: Int32
    var isFromTerminal: Bool
  }

  private let reading: SharedDescriptor
  private let writing: SharedDescriptor
  private var watch: IOWatch?

  init(_ numbers: [Int32], _ loop: EventLoop, _ handler: @escaping (Signal) -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(code: errno, call: "pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reading = SharedDescriptor(taking: ends[0])
    writing = SharedDescriptor(taking: ends[1])
    signalPipe = ends[1]
    watch = try loop.watch(ends[0], for: .readable) { [reading] _ in
      var event: [UInt8] = [0, 0]
      while read(reading.rawValue, &event, 2) == 2 {
        handler(Signal(number: Int32(event[0]), isFromTerminal: event[1] == 1))
      }
    }
    var wanted = sigset_t()
    sigemptyset(&wanted)
    for number in numbers {
      sigaddset(&wanted, number)
      var action = sigaction()
      action.__sigaction_handler.sa_sigaction = { number, information, _ in
        let kept = errno
        // SI_KERNEL
        var event: (UInt8, UInt8) = (UInt8(truncatingIfNeeded: number), information?.pointee.si_code == 0x80 ? 1 : 0)
        _ = write(signalPipe, &event, 2)
        errno = kept
      }
      action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_RESTART)
      sigaction(number, &action, nil)
    }
    // The parent process may have blocked them.
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
  }
}
