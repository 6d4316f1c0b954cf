import EventLoop
import Glibc

/// Lines that arrive on a descriptor, which it owns.
final class LineReader {
  private static let longestLine = 65536

  let descriptor: SharedDescriptor
  private var watch: IOWatch?
  private var pending: [UInt8] = []
  private let line: (String) -> Void
  private let ended: () -> Void

  init(
    _ descriptor: SharedDescriptor, _ loop: EventLoop, line: @escaping (String) -> Void, ended: @escaping () -> Void
  ) throws {
    self.descriptor = descriptor
    self.line = line
    self.ended = ended
    watch = try loop.watch(descriptor.rawValue, for: .readable) { [weak self] _ in self?.read() }
  }

  func cancel() {
    watch?.cancel()
    watch = nil
    descriptor.close()
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor.rawValue, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0, pending.count < Self.longestLine else {
      if count == 0, !pending.isEmpty { deliver(pending[...]) }
      cancel()
      return ended()
    }
    pending += buffer.prefix(count)
    while watch != nil, let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      let text = pending[..<end]
      pending.removeFirst(end + 1)
      deliver(text)
    }
  }

  private func deliver(_ text: ArraySlice<UInt8>) { line(String(decoding: text, as: UTF8.self)) }
}
