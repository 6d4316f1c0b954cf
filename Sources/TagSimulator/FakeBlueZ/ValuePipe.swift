import DBus
import EventLoop
import Glibc

/// bluetoothd's end of the socket that AcquireNotify and AcquireWrite return: one value per packet.
final class ValuePipe {
  var received: ([UInt8]) -> Void = { _ in }
  var closed: () -> Void = {}

  private let descriptor: SharedDescriptor
  private var watch: IOWatch?

  static func pair(loop: EventLoop) throws -> (ValuePipe, other: SharedDescriptor) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw MethodFailure.failed("Too many open files") }
    let other = SharedDescriptor(taking: ends[1])
    return (try ValuePipe(SharedDescriptor(taking: ends[0]), loop), other)
  }

  private init(_ descriptor: SharedDescriptor, _ loop: EventLoop) throws {
    self.descriptor = descriptor
    watch = try loop.watch(descriptor.rawValue, for: .readable) { [weak self] readiness in self?.ready(readiness) }
  }

  /// A full socket drops the value, as bluetoothd does.
  func send(_ value: [UInt8]) {
    guard descriptor.rawValue >= 0 else { return }
    _ = Glibc.send(descriptor.rawValue, value, value.count, Int32(MSG_NOSIGNAL))
  }

  func close() {
    guard watch != nil else { return }
    watch?.cancel()
    watch = nil
    descriptor.close()
    let closed = closed
    self.closed = {}
    closed()
  }

  private func ready(_ readiness: IOReadiness) {
    var buffer = [UInt8](repeating: 0, count: 512)
    while readiness.readable {
      let count = recv(descriptor.rawValue, &buffer, buffer.count, 0)
      guard count > 0 else {
        if count == 0 { close() }
        break
      }
      received(Array(buffer.prefix(count)))
    }
    if readiness.hangup || readiness.error { close() }
  }
}
