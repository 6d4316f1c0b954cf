import EventLoop
import Glibc
import Testing

@testable import TagSimulator

/// A tag and its radio, with a real socket and virtual time.
@Suite("Peer") struct PeerTests {
  final class Radio {
    let fixture: SoftwareTagFixture
    let peer: Peer
    let directory: JacquardSimTests.TemporaryDirectory
    var socket: SharedDescriptor
    var complaints: [String] = []

    init(greeted: Bool = true, _ change: (inout TagProfile) -> Void = { _ in }) throws {
      fixture = try SoftwareTagFixture(change)
      peer = Peer(fixture.tag)
      directory = try .init()
      try peer.listen(at: directory.path + "/radio")
      socket = try Self.connect(to: directory.path + "/radio")
      peer.complain = { [unowned self] in complaints.append($0) }
      settle()
      if greeted {
        send("02 00 01 01")
        _ = heard()
      }
    }

    deinit { peer.close() }

    static func connect(to path: String) throws -> SharedDescriptor {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
      let client = SharedDescriptor(taking: Glibc.socket(AF_UNIX, type, 0))
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(client.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard connected == 0 else { throw SystemError(code: errno, call: "connect") }
      return client
    }

    func settle() {
      for _ in 0..<4 { try? fixture.loop.dispatch() }
    }

    /// The raw bytes, including lengths.
    func send(_ text: String) {
      let bytes = bytes(hex: text)!
      #expect(Glibc.send(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
      settle()
    }

    /// The messages since the last call, without their lengths; nil if the tag has disconnected.
    func heard() -> [String]? {
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = read(socket.rawValue, &buffer, buffer.count)
      if count < 0 { return errno == EAGAIN ? [] : nil }
      guard count > 0 else { return nil }
      var messages: [String] = []
      var rest = buffer[..<count]
      while rest.count >= 2 {
        let size = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
        messages.append(hex(Array(rest.dropFirst(2).prefix(size))))
        rest = rest.dropFirst(2 + size)
      }
      return messages
    }

    /// A link with an MTU of 64, and the three subscriptions.
    func setUp() {
      send("04 00 02 40 00 00")
      for number in ["02", "03", "04"] { send("05 00 04 07 00 \(number) 01") }
      _ = heard()
    }
  }

  @Test("sends its radio the service, its characteristics, and its advertising data") func greeting() throws {
    let radio = try Radio(greeted: false)
    #expect(radio.heard() == [])
    radio.send("02 00 01 01")
    #expect(
      radio.heard() == [
        "01 01",
        "81 00 00 d2 f2 bf 0d d1 65 44 5c b0 e1 2d 6b 64 2e c5 7b",
        "81 01 0c d2 f2 ea bb d1 65 44 5c b0 e1 2d 6b 64 2e c5 7b",
        "81 02 10 d2 f2 b8 d0 d1 65 44 5c b0 e1 2d 6b 64 2e c5 7b",
        "81 03 10 d2 f2 b8 d1 d1 65 44 5c b0 e1 2d 6b 64 2e c5 7b",
        "81 04 1c d2 f2 b8 d2 d1 65 44 5c b0 e1 2d 6b 64 2e c5 7b",
        "82 01 64 00 c4 00 06 e0 00 40 30 52 3f 4a 61 63 71 75 61 72 64 2d 30 30 30 30",
      ])
  }

  @Test("responds to write requests, and to subscriptions before it notifies") func link() throws {
    let radio = try Radio()
    radio.send("04 00 02 40 00 00")
    #expect(radio.fixture.tag.isConnected)
    for number in ["02", "04"] { radio.send("05 00 04 07 00 \(number) 01") }
    _ = radio.heard()
    radio.send("05 00 04 08 00 03 01")
    let heard = try #require(radio.heard())
    #expect(heard.first == "84 08 00 00")
    #expect(heard.dropFirst().first?.hasPrefix("83 03 c0") == true)
    let hello = "c0 04 08 17 10 00"
    radio.send("0b 00 05 09 00 01 01 \(hello)")
    #expect(radio.heard()?.contains("84 09 00 00") == true)
    radio.send("0b 00 05 09 00 01 00 \(hello)")
    #expect(radio.heard()?.contains { $0.hasPrefix("84") } == false)
    radio.send("02 00 06 13")
    #expect(!radio.fixture.tag.isConnected)
  }

  @Test("refuses operations that need a bond until the link is encrypted") func bond() throws {
    let radio = try Radio { $0.requiresBond = true }
    radio.send("04 00 02 40 00 00")
    _ = radio.heard()
    radio.send("05 00 04 01 00 03 01")
    #expect(radio.heard() == ["84 01 00 05"])
    radio.send("06 00 05 02 00 01 01 00")
    #expect(radio.heard() == ["84 02 00 05"])
    radio.send("02 00 03 03 05 00 04 03 00 03 01")
    #expect(radio.heard()?.first == "84 03 00 00")
  }

  @Test("disconnects, goes out of range, and deletes its bonds") func endings() throws {
    let radio = try Radio()
    radio.setUp()
    try radio.fixture.tag.perform(.dropLink)
    #expect(radio.heard()?.last == "85 13")
    radio.send("02 00 06 16")
    radio.setUp()
    try radio.fixture.tag.perform(.inRange(false))
    let heard = try #require(radio.heard())
    #expect(heard.contains("85 08"))
    #expect(heard.first?.hasPrefix("82 00") == true, "it is silent before the link is lost")
    try radio.fixture.tag.perform(.forgetBond)
    #expect(radio.heard() == ["86"])
  }

  @Test("fragments to the current MTU") func mtu() throws {
    let radio = try Radio()
    radio.send("04 00 02 17 00 00 05 00 04 07 00 02 01 05 00 04 07 00 03 01 05 00 04 07 00 04 01")
    _ = radio.heard()
    let packet = [UInt8](repeating: 0x0a, count: 40)
    try radio.fixture.tag.perform(.sendPacket(.response, packet))
    #expect(radio.heard()?.count == 3)
    radio.send("03 00 07 f7 00")
    try radio.fixture.tag.perform(.sendPacket(.response, packet))
    #expect(radio.heard()?.count == 1)
  }

  @Test(
    "disconnects after an invalid message and accepts the next radio",
    arguments: [
      "00 00", "ff ff 05", "01 00 09", "01 00 06", "03 00 06 13 00", "05 00 04 01 00 03 02", "05 00 04 01 00 01 01",
      "05 00 04 01 00 09 01", "06 00 05 01 00 00 01 00", "06 00 05 01 00 07 00 00", "04 00 02 16 00 00", "02 00 01 01",
      "02 00 85 13",
    ]) func hostile(_ text: String) throws
  {
    let radio = try Radio()
    radio.send("04 00 02 40 00 00")
    _ = radio.heard()
    radio.send(text)
    while let heard = radio.heard(), !heard.isEmpty {}
    #expect(radio.heard() == nil)
    #expect(!radio.fixture.tag.isConnected)
    #expect(radio.complaints.count == 1)
    radio.socket = try Radio.connect(to: radio.directory.path + "/radio")
    radio.settle()
    radio.send("02 00 01 01")
    #expect(radio.heard()?.first == "01 01")
  }

  @Test("accepts messages byte by byte, and rejects a second radio and other versions with an error") func stream()
    throws
  {
    let radio = try Radio(greeted: false)
    for byte in ["02", "00", "01"] { radio.send(byte) }
    #expect(radio.heard() == [])
    let second = try Radio.connect(to: radio.directory.path + "/radio")
    radio.settle()
    var byte: UInt8 = 0
    #expect(read(second.rawValue, &byte, 1) == 0)
    #expect(radio.complaints == ["a second radio was refused"])
    radio.send("02")
    #expect(radio.heard() == ["01 01"])
    #expect(radio.heard() == nil)
    #expect(radio.complaints.last == "the radio: it uses version 2")
  }
}
