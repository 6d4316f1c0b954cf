import CDBus
import EventLoop
import Glibc
import TestWorld
import Testing

@testable import DBus

/// The bytes of a message that has this serial number.
func frameBytes(_ message: Message, serial: UInt32 = 7) -> [UInt8] {
  dbus_message_set_serial(message.pointer, serial)
  var bytes: UnsafeMutablePointer<CChar>?
  var count: Int32 = 0
  dbus_message_marshal(message.pointer, &bytes, &count)
  defer { dbus_free(bytes) }
  return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
}

@Suite("The stream of a bus")
struct MessageStreamTests {
  let ours: SharedDescriptor
  let theirs: SharedDescriptor
  let stream: MessageStream

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    ours = SharedDescriptor(taking: ends[0])
    theirs = SharedDescriptor(taking: ends[1])
    stream = try #require(MessageStream(ours.rawValue))
  }

  func signal(_ values: Value...) throws -> [UInt8] {
    frameBytes(try .signal(path: "/a", interface: "x.y", member: "Z", values))
  }

  func send(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    #expect(Glibc.send(theirs.rawValue, bytes, bytes.count, 0) == bytes.count)
  }

  func send(_ bytes: [UInt8], _ descriptors: [Int32]) {
    var bytes = bytes
    let size = MemoryLayout<cmsghdr>.size + 4 * descriptors.count
    let control = UnsafeMutableRawBufferPointer.allocate(byteCount: (size + 7) & ~7, alignment: 8)
    defer { control.deallocate() }
    var head = cmsghdr()
    head.cmsg_len = size
    head.cmsg_level = SOL_SOCKET
    head.cmsg_type = Int32(SCM_RIGHTS)
    control.storeBytes(of: head, as: cmsghdr.self)
    for (index, descriptor) in descriptors.enumerated() {
      control.storeBytes(of: descriptor, toByteOffset: MemoryLayout<cmsghdr>.size + 4 * index, as: Int32.self)
    }
    bytes.withUnsafeMutableBytes { bytes in
      var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
      withUnsafeMutablePointer(to: &part) { part in
        var header = msghdr()
        header.msg_iov = part
        header.msg_iovlen = 1
        header.msg_control = control.baseAddress
        header.msg_controllen = control.count
        #expect(sendmsg(theirs.rawValue, &header, 0) == bytes.count)
      }
    }
  }

  /// The frames that are complete after one read.
  func frames() -> [[UInt8]] {
    _ = stream.read()
    var frames: [[UInt8]] = []
    while let frame = stream.next() { frames.append(Array(frame.bytes)) }
    return frames
  }

  @Test("is split into the messages that were sent, however it was cut")
  func cuts() throws {
    let messages = [
      try signal(), try signal("text"), try signal(.bytes(Array(0..<200)), .byte(1)), try signal(.byte(2)),
    ]
    var random = SeededRandom(seed: 5)
    for _ in 0..<200 {
      var rest = messages.flatMap { $0 }[...]
      var received: [[UInt8]] = []
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...300, using: &random))
        send(part)
        received += frames()
        rest = rest.dropFirst(part.count)
      }
      #expect(received == messages)
    }
    #expect(!stream.isMalformed && !stream.hasEnded)
  }

  @Test("ends after the last complete message")
  func end() throws {
    let message = try signal("last")
    send(message + message.prefix(20))
    theirs.close()
    #expect(frames() == [message])
    #expect(stream.read() == .end)
    #expect(stream.hasEnded && !stream.isMalformed)
  }

  @Test("is refused if it is not one of messages in the order of bytes of this machine")
  func malformed() throws {
    let message = try signal()
    let changes: [(Int, [UInt8])] = [
      (0, [UInt8(ascii: "B")]), (0, [0]), (3, [2]), (4, [0, 0, 0, 8]), (4, [255, 255, 255, 255]), (12, [0, 0, 0, 5]),
      (12, [255, 255, 255, 255]),
    ]
    for (offset, bytes) in changes {
      let test = try MessageStreamTests()
      var frame = message
      frame.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
      test.send(frame)
      #expect(test.frames() == [])
      #expect(test.stream.isMalformed, "\(bytes) at \(offset)")
    }
  }

  @Test("needs memory for what was received, not for what was announced, and returns it")
  func memory() throws {
    var announcement = try signal()
    announcement.replaceSubrange(4..<8, with: [0, 0, 0, 4])
    send(announcement)
    #expect(frames() == [])
    #expect(stream.capacity == MessageStream.initialCapacity)
    let large = try signal(.bytes([UInt8](repeating: 7, count: 100_000)))
    let test = try MessageStreamTests()
    var rest = large[...]
    var received: [[UInt8]] = []
    while !rest.isEmpty {
      test.send(rest.prefix(5000))
      rest = rest.dropFirst(5000)
      received += test.frames()
    }
    #expect(received == [large])
    #expect(test.stream.capacity > 100_000)
    test.stream.releaseMemory()
    #expect(test.stream.capacity == MessageStream.initialCapacity)
  }

  @Test("gives each message its descriptors, and closes those of none")
  func descriptors() async throws {
    await #expect(processExitsWith: .success) {
      let test = try MessageStreamTests()
      let null = SharedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
      let zero = SharedDescriptor(taking: open("/dev/zero", O_RDONLY | O_CLOEXEC))
      var before: Int?
      let message = frameBytes(
        try .signal(path: "/", interface: "x.y", member: "Z", [.descriptor(zero), ["fd": .descriptor(null)], "text"]))
      let plain = try test.signal("text")
      for _ in 0..<20 {
        test.send(plain)
        test.send(message, [zero.rawValue, null.rawValue])
        // A descriptor of no message.
        test.send(plain, [null.rawValue])
        var seen: [Int] = []
        for _ in 0..<4 {
          _ = test.stream.read()
          while let frame = test.stream.next() {
            let message = try frame.message(test.stream)
            defer { dbus_message_unref(message) }
            let values = MessageReader.rest(MessageView(pointer: message).reader) ?? []
            seen.append(values.count)
            if values.count == 3 {
              var byte: UInt8 = 1
              let (first, second) = (values[0].asDescriptor, values[1]["fd"]?.asDescriptor)
              try #require(read(first?.rawValue ?? -1, &byte, 1) == 1)
              try #require(read(second?.rawValue ?? -1, &byte, 1) == 0)
              try #require(values[2] == "text")
            }
          }
        }
        try #require(seen == [1, 3, 1])
        before = before ?? descriptorCount()
      }
      // The runtime of the test may open or close some descriptors.
      try #require(descriptorCount() < (before ?? 0) + 10)
    }
  }

  @Test("is refused if a message has fewer descriptors than it says")
  func missingDescriptors() throws {
    let null = SharedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
    let message = frameBytes(
      try .signal(path: "/", interface: "x.y", member: "Z", [.descriptor(null), .descriptor(null)]))
    for descriptors in [[], [null.rawValue]] {
      let test = try MessageStreamTests()
      if descriptors.isEmpty { test.send(message) } else { test.send(message, descriptors) }
      _ = test.stream.read()
      let frame = try #require(test.stream.next())
      #expect(throws: Frame.Refusal.malformed) { _ = try frame.message(test.stream) }
    }
  }
}
