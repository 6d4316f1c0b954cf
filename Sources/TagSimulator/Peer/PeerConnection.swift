import EventLoop
import Glibc

/// The stream between a tag and its radio, split into messages.
///
/// It ends at the first invalid message, or if the radio does not read its messages.
final class PeerConnection {
  /// Much more than a tag sends before the radio reads again.
  private static let largestBacklog = 1 << 20

  private let descriptor: SharedDescriptor
  private let received: (PeerMessage) -> Void
  private let ended: (String?) -> Void
  private var watch: IOWatch?
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []

  /// - Parameter ended: receives the error, or nil if the radio disconnected; not called after `close`
  init(
    _ descriptor: SharedDescriptor, _ loop: EventLoop, received: @escaping (PeerMessage) -> Void,
    ended: @escaping (String?) -> Void
  ) throws {
    self.descriptor = descriptor
    self.received = received
    self.ended = ended
    watch = try loop.watch(descriptor.rawValue, for: .readable) { [weak self] _ in self?.turn() }
  }

  deinit { close() }

  func send(_ message: PeerMessage) {
    guard watch != nil else { return }
    outgoing += message.encoded
    write()
  }

  func close() {
    watch?.cancel()
    watch = nil
    descriptor.close()
  }

  private func turn() {
    write()
    if watch != nil { read() }
  }

  private func write() {
    while !outgoing.isEmpty {
      let count = Glibc.send(descriptor.rawValue, outgoing, outgoing.count, Int32(MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        if errno != EAGAIN { end(nil) }
        break
      }
      outgoing.removeFirst(count)
    }
    if outgoing.count > Self.largestBacklog { end("it does not read") }
    try? watch?.modify(outgoing.isEmpty ? .readable : [.readable, .writable])
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor.rawValue, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return end(incoming.isEmpty ? nil : "it closed the connection within a message") }
    incoming += buffer.prefix(count)
    while watch != nil, incoming.count >= 2 {
      let size = Int(incoming[0]) | Int(incoming[1]) << 8
      guard (1...PeerMessage.largestSize).contains(size) else { return end("a message of \(size) bytes") }
      guard incoming.count >= 2 + size else { return }
      let bytes = incoming[2..<2 + size]
      incoming.removeFirst(2 + size)
      guard let message = PeerMessage(bytes) else { return end("not a message: \(hex(Array(bytes)))") }
      received(message)
    }
  }

  private func end(_ problem: String?) {
    guard watch != nil else { return }
    close()
    ended(problem)
  }
}
