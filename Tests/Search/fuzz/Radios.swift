import EventLoop
import Glibc

@testable import TagSimulator

extension Target {
  /// A radio provided by another program, and its messages to a tag; then a second radio, which must be greeted
  /// normally.
  static let radios = Target(name: "radios") { input in
    var choices = Choices(input)
    let time = VirtualClock()
    let loop = try EventLoop(clock: .virtual(time))
    let world = SimulatedWorld(clock: SimulationClock(loop))
    let peer = Peer(world.tags[0])
    try peer.listen(at: path)
    var radio = try Radio(path)
    if choices.byte() < 200 { radio.write([2, 0, 1, PeerMessage.version]) }
    while !choices.isEmpty {
      switch choices.index(below: 8) {
      case 0: time.advance(by: .milliseconds(Int(choices.byte()) * 10))
      case 1: radio.write(choices.bytes())
      case 2: _ = try? world.control(choices.pick(actions))
      default: radio.write(choices.frame())
      }
      try loop.dispatch()
      radio.read()
    }
    radio.close()
    for _ in 0..<3 { try loop.dispatch() }
    radio = try Radio(path)
    radio.write([2, 0, 1, PeerMessage.version])
    for _ in 0..<3 { try loop.dispatch() }
    radio.read()
    require(radio.messages > 5, "the next radio is not greeted")
    radio.close()
    peer.close()
    loop.close()
    loop.drain()
  }

  private static let path = "/dev/shm/jacquard-fuzz-\(getpid())"
  private static let actions = [
    "drop link", "bond forget", "bond required", "gesture cover", "out-of-range", "in-range", "reboot", "name a",
  ]
}

extension Choices {
  /// A message of a radio, usually of an existing type.
  fileprivate mutating func frame() -> [UInt8] {
    let type = byte()
    let body = [type < 224 ? 1 + type % 7 : type] + bytes()
    return [UInt8(body.count & 0xff), UInt8(body.count >> 8)] + body
  }
}

/// The radio's end of the socket. The tag must send only complete messages.
private struct Radio {
  private let descriptor: CInt
  private var incoming: [UInt8] = []
  private(set) var messages = 0

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    require(connected == 0, "no tag at \(path)")
  }

  func write(_ bytes: [UInt8]) { _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  func close() { Glibc.close(descriptor) }

  mutating func read() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { incoming += buffer.prefix(count) }
    while incoming.count >= 3 {
      let size = Int(incoming[0]) | Int(incoming[1]) << 8
      require((1...PeerMessage.largestSize).contains(size), "a message of \(size) bytes")
      guard incoming.count >= 2 + size else { return }
      require(incoming[2] == 0x01 || (0x81...0x86).contains(incoming[2]), "a message of type \(incoming[2])")
      incoming.removeFirst(2 + size)
      messages += 1
    }
  }
}
