import CLinux
import CLinux
@testable import EventLoop
import Glibc

/// Whether the loop's descriptor is readable, as a host program sees it.
func isReadable(_ loop: EventLoop, waitingMilliseconds timeout: Int32 = 0) -> Bool {
  var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
  return Glibc.poll(&poll, 1, timeout) == 1
}

/// Dispatches like a host program until `done`; gives up after five idle seconds.
func dispatch(_ loop: EventLoop, until done: () -> Bool) throws {
  while !done() {
    guard isReadable(loop, waitingMilliseconds: 5000) else { throw SystemError(code: ETIMEDOUT, call: "dispatch") }
    try loop.dispatch()
  }
}

/// Dispatches until nothing is ready.
func settle(_ loop: EventLoop) throws {
  while isReadable(loop) { try loop.dispatch() }
}

/// Sleeps longer than any test; the test ends it.
func sleepLong(_ loop: EventLoop) async throws { try await loop.sleep(.seconds(3600)) }

/// The two ends of a pipe, closed with their last owner.
func makePipe() throws -> (read: SharedDescriptor, write: SharedDescriptor) {
  var ends: [Int32] = [-1, -1]
  guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { throw SystemError(code: errno, call: "pipe2") }
  return (SharedDescriptor(taking: ends[0]), SharedDescriptor(taking: ends[1]))
}

func entryCount(_ directory: String) -> Int {
  guard let stream = opendir(directory) else { return 0 }
  defer { closedir(stream) }
  var count = 0
  while readdir(stream) != nil { count += 1 }
  return count
}

extension IOReadiness {
  static let readable = IOReadiness(epollEvents: EPOLLIN.rawValue)
  static let writable = IOReadiness(epollEvents: EPOLLOUT.rawValue)
  static let hangup = IOReadiness(epollEvents: EPOLLHUP.rawValue)
  static let error = IOReadiness(epollEvents: EPOLLERR.rawValue)
}
