import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

@Suite("A hostile side of a channel")
struct HostileChannelTests {
  @Test("is cut off after a malformed message")
  func malformed() throws {
    try check(ProgramChannel.self)
    try check(ServiceChannel.self)
  }

  private func check<Side: TestedChannel>(_ type: Side.Type) throws {
    let peer = try RawPeer(type)
    peer.write(Record(Side.example(1)).bytes)
    peer.write([Record(Side.example(1)).kind, 1])
    peer.write(Record(Side.example(2)).bytes)
    try peer.settle()
    #expect(peer.side.messages == [Record(Side.example(1))])
    #expect(peer.side.ends == [.malformed])
  }

  @Test("may send messages for the other side, which are ignored")
  func direction() throws {
    let program = try RawPeer(ServiceChannel.self)
    program.write(Record(ServiceChannel.foreign(1)).bytes)
    let service = try RawPeer(ProgramChannel.self)
    service.write(Record(ProgramChannel.foreign(1)).bytes)
    try program.settle()
    try service.settle()
    #expect(program.side.messages.isEmpty && program.side.ends.isEmpty)
    #expect(service.side.messages.isEmpty && service.side.ends.isEmpty)
  }

  @Test("is cut off after a record that is too long")
  func tooLong() throws {
    let peer = try RawPeer(ServiceChannel.self)
    peer.write([Kind.notification, 0, 0] + [UInt8](repeating: 1, count: RecordLimits.payload))
    peer.write([UInt8](repeating: 1, count: RecordLimits.record + 1))
    try peer.settle()
    #expect(peer.side.messages.count == 1)
    #expect(peer.side.ends == [.malformed])
  }

  @Test("is cut off after an empty record")
  func empty() throws {
    let peer = try RawPeer(ServiceChannel.self)
    peer.write([])
    try peer.settle()
    #expect(peer.side.ends == [.closed])
  }

  @Test("may send unknown messages")
  func unknown() throws {
    let peer = try RawPeer(ServiceChannel.self)
    for kind in [0, 63, 200, 255] as [UInt8] { peer.write([kind, 1, 0, 1, 2, 3, 4, 5]) }
    peer.write(Record.service(.written(.init(id: 1))).bytes)
    try peer.settle()
    #expect(peer.side.messages == [.service(.written(.init(id: 1)))])
    #expect(peer.side.ends.isEmpty)
  }

  @Test("may send random bytes")
  func random() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<150 {
      try attack(ProgramChannel.self, &random)
      try attack(ServiceChannel.self, &random)
    }
  }

  private func attack(_ type: (some TestedChannel).Type, _ random: inout SeededRandom) throws {
    let peer = try RawPeer(type)
    for _ in 0..<50 {
      var bytes = (0..<Int.random(in: 1...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random) { bytes[0] = UInt8.random(in: 0...75, using: &random) }
      peer.write(bytes)
      try peer.settle()
    }
    #expect(peer.side.ends == [] || peer.side.ends == [.malformed])
  }

  @Test("passes no descriptors")
  func descriptors() throws {
    let peer = try RawPeer(ServiceChannel.self)
    let before = ScratchDirectory.names(in: "/proc/self/fd").count
    sendWithDescriptor(peer.socket.rawValue, Record.service(.written(.init(id: 1))).bytes)
    try peer.settle()
    #expect(peer.side.messages == [.service(.written(.init(id: 1)))])
    #expect(ScratchDirectory.names(in: "/proc/self/fd").count == before)
  }

  /// Sends the bytes with a copy of the standard input: SCM_RIGHTS.
  private func sendWithDescriptor(_ socket: Int32, _ bytes: [UInt8]) {
    var bytes = bytes
    // struct cmsghdr: length, level, type; then the descriptor, padded.
    var control: (Int, Int32, Int32, Int32, Int32) = (20, SOL_SOCKET, 1, STDIN_FILENO, 0)
    bytes.withUnsafeMutableBytes { bytes in
      withUnsafeMutableBytes(of: &control) { control in
        var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        withUnsafeMutablePointer(to: &part) { part in
          var record = msghdr()
          record.msg_iov = part
          record.msg_iovlen = 1
          record.msg_control = control.baseAddress
          record.msg_controllen = 24
          #expect(sendmsg(socket, &record, 0) == bytes.count)
        }
      }
    }
  }
}
