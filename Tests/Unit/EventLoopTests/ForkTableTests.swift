import Glibc
import Testing

@testable import EventLoop

@_silgen_name("fork") private func forkProcess() -> pid_t

@Suite("Descriptors that a forked child closes")
struct ForkTableTests {
  /// The result of `body` in a forked child.
  private func inChild(_ body: () -> Int32) -> Int32 {
    let child = forkProcess()
    if child == 0 { _exit(body()) }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return status >> 8 & 0xff
  }

  @Test("stay open in the parent")
  func closed() {
    let descriptor = UnsharedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
    let number = descriptor.rawValue
    #expect(inChild { fcntl(number, F_GETFD) < 0 && errno == EBADF ? 0 : 1 } == 0)
    #expect(fcntl(number, F_GETFD) >= 0)
  }

  @Test("are not closed again by the child, nor others with their number")
  func reused() {
    var descriptor: UnsharedDescriptor? = UnsharedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
    let number = descriptor?.rawValue ?? -1
    #expect(
      inChild {
        guard dup2(open("/dev/null", O_RDONLY), number) == number else { return 1 }
        descriptor = nil
        return fcntl(number, F_GETFD) >= 0 ? 0 : 2
      } == 0)
    descriptor = nil
    #expect(fcntl(number, F_GETFD) < 0)
  }

  @Test("do not include those that were closed before")
  func earlier() {
    var descriptor: UnsharedDescriptor? = UnsharedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
    let number = descriptor?.rawValue ?? -1
    descriptor = nil
    let other = OwnedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
    #expect(other.rawValue == number)
    #expect(inChild { fcntl(number, F_GETFD) >= 0 ? 0 : 1 } == 0)
  }

  @Test("may have any number")
  func high() {
    let source = OwnedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
    for number in [63, 64, 127, 1000] as [Int32] {
      let descriptor = UnsharedDescriptor(taking: fcntl(source.rawValue, F_DUPFD_CLOEXEC, number))
      let actual = descriptor.rawValue
      #expect(inChild { fcntl(actual, F_GETFD) < 0 ? 0 : 1 } == 0)
    }
    // Descriptors of failed calls and those beyond the table are not recorded.
    #expect(ForkTable.remove(-1))
    ForkTable.add(ForkTable.limit)
    #expect(ForkTable.remove(ForkTable.limit))
  }
}
