import CDBus
import EventLoop
import TestWorld
import Testing

@testable import DBus

@Suite("A value that is read in place")
struct InPlaceTests {
  static let path = "/org/bluez/hci0/dev_00_11_22_33_44_55/service0010/char0011"

  @Test("has any length and serial number")
  func lengths() throws {
    for first in [0, 1, 2, 3, 4, 20, 512] {
      let bytes = frameBytes(try Self.change(Array(repeating: 9, count: first)))
      let template = try #require(Self.template(bytes, first))
      for count in [0, 1, 2, 3, 4, 5, 31, 244, 512] {
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let other = frameBytes(try Self.change(value), serial: UInt32(count) + 300)
        #expect(Self.value(template, other) == value)
      }
    }
  }

  @Test("is in no frame with another header, property or list")
  func others() throws {
    let template = try #require(Self.template(frameBytes(try Self.change([1, 2, 3])), 3))
    let others = [
      try Self.change([1, 2, 3], path: Self.path + "2"), try Self.change([1, 2, 3], property: "Valve"),
      try Self.change([1, 2, 3], invalidated: ["Value"]),
      try Self.change([1, 2, 3], path: String(Self.path.dropLast()) + "2"),
      try Message.signal(
        path: Self.path, interface: Self.properties, member: "PropertiesChanged", ["x", [:], .strings([])]),
    ]
    for other in others { #expect(Self.value(template, frameBytes(other)) == nil) }
    #expect(Self.template(frameBytes(others[2]), 3) == nil)
    let two = try Message.signal(
      path: Self.path, interface: Self.properties, member: "PropertiesChanged",
      ["x.y", ["A": .bytes([1]), "B": .boolean(true)], .strings([])])
    #expect(Self.template(frameBytes(two), 1) == nil)
  }

  @Test("is in no frame with descriptors, and neither is an empty reply: they must be taken from the stream")
  func descriptors() throws {
    let change = frameBytes(try Self.change([1, 2, 3]))
    #expect(Self.template(change, 3) != nil)
    #expect(Self.template(Self.withDescriptor(change), 3) == nil)
    let reply = try #require(dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
    defer { dbus_message_unref(reply) }
    dbus_message_set_reply_serial(reply, 5)
    let view = MessageView(pointer: reply)
    let bytes = frameBytes(Message(view))
    #expect(Self.frame(bytes) { EmptyReply(view, $0)?.replySerial(of: $0) } == 5)
    #expect(Self.frame(Self.withDescriptor(bytes)) { EmptyReply(view, $0) == nil } == true)
  }

  @Test("is what libdbus reads, in whatever frame it is found")
  func agreement() throws {
    let original = frameBytes(try Self.change([1, 2, 3, 4, 5]))
    let template = try #require(Self.template(original, 5))
    var random = SeededRandom(seed: 11)
    var found = 0
    func check(_ bytes: [UInt8]) throws {
      guard let value = Self.value(template, bytes) else { return }
      found += 1
      let message = try #require(Self.parsed(bytes), "\(bytes)")
      #expect(message.path == Self.path)
      #expect(message.body.count == 3 && message.body[1]["Value"]?.asBytes == value && message.body[2] == .strings([]))
    }
    for offset in original.indices {
      for bit in 0..<8 {
        var bytes = original
        bytes[offset] ^= 1 << bit
        try check(bytes)
      }
    }
    for _ in 0..<20_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try check(bytes)
    }
    #expect(found > 40)
  }

  @Test("arrives in order with all other messages, and at each of their receivers")
  func order() async throws {
    let fixture = try BusFixture()
    try await fixture.run {
      let (sender, receiver, rule, _) = try await Self.connect(fixture)
      let peer = try #require(sender.uniqueName)
      var events: [String] = []
      var reader: InPlaceReader?
      var parsed = 0
      func receive(_ message: MessageView) {
        parsed += 1
        Self.withValue(message) { value in
          events.append("value \(value[0])")
          reader = receiver.readInPlace(value) { value, _ in events.append("value \(value[0])") }
        }
      }
      let values = try await receiver.subscribe(rule, receive)
      let marks = try await receiver.subscribe(MatchRule(sender: peer, interface: "x.y", member: "Mark")) { _ in
        events.append("mark")
      }
      func send() async throws {
        (events, parsed) = ([], 0)
        for number in 0..<20 {
          try sender.send(Self.change([UInt8(number)]))
          if number % 5 == 0 { try sender.emit(path: "/", interface: "x.y", member: "Mark") }
        }
        try await Self.settle(sender, receiver)
      }
      let expected = (0..<20).flatMap { $0 % 5 == 0 ? ["value \($0)", "mark"] : ["value \($0)"] }
      try await send()
      #expect(events == expected)
      #expect(parsed == 1)
      try await send()
      #expect(events == expected)
      #expect(parsed == 0)

      var others = 0
      let other = try await receiver.subscribe(rule) { _ in others += 1 }
      try await send()
      #expect(events == expected)
      #expect(others == 20 && parsed == 20)
      other.cancel()
      reader?.cancel()
      withExtendedLifetime((values, marks)) {}
      sender.close()
      receiver.close()
    }
  }

  @Test("reaches the reader of its path among many, and is a signal for a path whose reader has ended")
  func paths() async throws {
    let fixture = try BusFixture()
    try await fixture.run {
      let (sender, receiver, rule, _) = try await Self.connect(fixture)
      var events: [String] = []
      var readers: [String: InPlaceReader] = [:]
      var parsed = 0
      let values = try await receiver.subscribe(rule) { message in
        let path = message.path.map { String(cString: $0) } ?? ""
        parsed += 1
        Self.withValue(message) { value in
          events.append("\(path) \(value[0])")
          readers[path] = receiver.readInPlace(value) { value, _ in events.append("\(path) \(value[0])") }
        }
      }
      let paths = (0..<40).map { "/device\($0)" }
      func send(_ number: UInt8, signals: Int) async throws {
        (events, parsed) = ([], 0)
        for path in paths { try sender.send(Self.change([number], path: path)) }
        try await Self.settle(sender, receiver)
        #expect(events == paths.map { "\($0) \(number)" })
        #expect(parsed == signals)
      }
      try await send(1, signals: 40)
      try await send(2, signals: 0)
      for path in paths.suffix(10) { readers[path] = nil }
      try await send(3, signals: 10)
      try await send(4, signals: 0)
      withExtendedLifetime(values) {}
      sender.close()
      receiver.close()
    }
  }

  @Test("is counted as a message of its peer")
  func traffic() async throws {
    let fixture = try BusFixture()
    try await fixture.run {
      let (sender, receiver, rule, traffic) = try await Self.connect(fixture)
      var seen: [UInt32] = []
      var reader: InPlaceReader?
      let values = try await receiver.subscribe(rule) { message in
        Self.withValue(message) { value in
          reader = receiver.readInPlace(value) { _, _ in seen.append(traffic.elsewhere) }
        }
      }
      for number in 0..<3 { try sender.send(Self.change([UInt8(number)])) }
      // A message that only the bus receives.
      try await sender.releaseName("x.y")
      for number in 0..<2 { try sender.send(Self.change([UInt8(number)])) }
      try await Self.settle(sender, receiver)
      #expect(seen.count == 4)
      #expect(seen[0] == seen[1] && seen[2] == seen[0] &+ 1 && seen[3] == seen[2])
      withExtendedLifetime((values, reader)) {}
      sender.close()
      receiver.close()
    }
  }

  @Test("is ignored when its sender no longer owns the name of the rule, as a message is")
  func formerOwner() async throws {
    let fixture = try BusFixture()
    try await fixture.run {
      let sender = try await fixture.connect()
      let receiver = try await fixture.connect()
      try await sender.requestName("org.example.Values")
      var seen: [UInt8] = []
      var reader: InPlaceReader?
      let rule = MatchRule(
        sender: "org.example.Values", interface: Self.properties, member: "PropertiesChanged")
      let values = try await receiver.subscribe(rule) { message in
        Self.withValue(message) { value in
          seen.append(value[0])
          reader = receiver.readInPlace(value) { value, _ in seen.append(value[0]) }
        }
      }
      // Sent to this receiver, so that no rule on the bus is needed.
      func send(_ number: UInt8) throws {
        let name = receiver.uniqueName ?? ""
        let arguments: [Value] = ["org.bluez.GattCharacteristic1", ["Value": .bytes([number])], .strings([])]
        try sender.send(
          .signal(
            path: Self.path, interface: Self.properties, member: "PropertiesChanged", destination: name, arguments))
      }
      for number in 1...3 as ClosedRange<UInt8> { try send(number) }
      try await Self.settle(sender, receiver)
      #expect(seen == [1, 2, 3])
      try await sender.releaseName("org.example.Values")
      try send(4)
      try await Self.settle(sender, receiver)
      #expect(seen == [1, 2, 3])
      withExtendedLifetime((values, reader)) {}
      sender.close()
      receiver.close()
    }
  }
}
