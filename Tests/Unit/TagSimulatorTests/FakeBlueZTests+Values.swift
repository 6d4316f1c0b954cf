import DBus
import EventLoop
import Glibc
import Testing

@testable import TagSimulator

extension FakeBlueZTests {
  // MARK: - Values

  @Test("transfers the set-up of a tag") func setUp() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      try await host.subscribe()
      for request in Example.setUp { try await host.write(request) }
      let values = try await host.takeValues()
      #expect(values.first == "char0011 c0 0d 08 00 10 17 18 00 ca 07 04 08 50 10 02")
      #expect(values.filter { $0.hasPrefix("char000e") }.count == 6)
      #expect(world.violationCount == 0)
    }
  }

  @Test("reports violations of the host") func violation() async throws {
    try await fixture.run { world, _, host in
      var said: [String] = []
      world.violated = { said.append("\($0.profile.serial) \($1)") }
      try await host.connect()
      try await host.subscribe()
      try await host.write("c0 06 08 00 10 17 18 05")
      #expect(said == ["01ZK request before hello (battery): 08 00 10 17 18 05"])
    }
  }

  @Test("signals Notifying before it replies to StartNotify, once for all clients") func startNotify() async throws {
    try await fixture.run { [fixture] world, _, host in
      try await host.connect()
      let other = try await fixture.newHost()
      host.forgetSignals()
      try await host.call(Host.response, "GattCharacteristic1", "StartNotify")
      #expect(host.signals == ["char000e Notifying=true"])
      try await host.call(Host.response, "GattCharacteristic1", "StartNotify")
      try await other.call(Host.response, "GattCharacteristic1", "StartNotify")
      try await host.call(Host.response, "GattCharacteristic1", "StopNotify")
      #expect(try await host.takeSignals() == ["char000e Notifying=true"])
      await #expect(throws: error("Failed", "No notify session started")) {
        try await host.call(Host.response, "GattCharacteristic1", "StopNotify")
      }
      other.connection.close()
      while try await host.takeSignals() != ["char000e Notifying=false"] {}
      await #expect(throws: error("NotSupported", "Operation is not supported")) {
        try await host.call(Host.command, "GattCharacteristic1", "StartNotify")
      }
    }
  }

  @Test("signals a value once for each subscriber, back to back, to every program")
  func severalSubscribers() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      let others = [try await self.fixture.newHost(), try await self.fixture.newHost()]
      for count in 1...3 {
        let subscriber = count == 1 ? host : others[count - 2]
        try await subscriber.call(Host.notification, "GattCharacteristic1", "StartNotify")
        _ = try await host.takeValues()
        _ = try world.control("send notification 01 02")
        #expect(try await host.takeValues() == Array(repeating: "char0011 01 02", count: count))
      }
      others[0].connection.close()
      try await others[1].call(Host.notification, "GattCharacteristic1", "StopNotify")
      while try await host.takeSignals() != [] {}
      _ = try await host.takeValues()
      _ = try world.control("send notification 01 03")
      #expect(try await host.takeValues() == ["char0011 01 03"])
      for other in others { other.connection.close() }
    }
  }

  @Test("keeps subscriptions beyond the end of the link and restores them") func restoredNotify() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      try await host.subscribe()
      host.forgetSignals()
      try world.tags[0].perform(.dropLink)
      #expect(try await host.get(Host.response, "GattCharacteristic1", "Notifying") == true)
      await #expect(throws: error("InProgress", "In Progress")) {
        try await host.call(Host.response, "GattCharacteristic1", "StartNotify")
      }
      try await host.connect()
      #expect(
        try await host.takeValues() == ["char0011 c0 0d 08 00 10 17 18 00 ca 07 04 08 50 10 02"],
        "the tag sends its first message before the new subscription")
      try await host.subscribe()
      #expect(
        try await host.takeSignals() == [
          "dev00 Connected=false ServicesResolved=false", "dev00 ServicesResolved=true",
        ])
    }
  }

  @Test("accepts one write request at a time for a characteristic") func writeInProgress() async throws {
    try await fixture.run { [fixture] _, daemon, host in
      daemon.behaviour.writeTime = .milliseconds(30)
      try await host.connect()
      try await host.subscribe()
      let body: [Value] = [.bytes(bytes(hex: Example.hello)!), ["type": "request"]]
      let first = try host.begin(Host.command, "GattCharacteristic1", "WriteValue", body)
      await #expect(throws: error("InProgress", "In Progress")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", body)
      }
      #expect(first.text == nil)
      try await fixture.pass(.milliseconds(30))
      try await host.catchUp()
      #expect(first.text == "ok")
    }
  }

  @Test("refuses invalid writes: too long, without a link, of an unknown type") func impossibleWrites() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      let long = Value.bytes([UInt8](repeating: 0, count: 245))
      await #expect(throws: error("Failed", "Failed to initiate write")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [long, ["type": "command"]])
      }
      await #expect(throws: error("InvalidArguments", "Invalid arguments in method call")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [.bytes([1]), ["type": "loud"]])
      }
      await #expect(throws: error("InvalidArguments", "Invalid arguments in method call")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", ["text"])
      }
      try world.tags[0].perform(.dropLink)
      await #expect(throws: error("Failed", "Not connected")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [.bytes([1]), ["type": "command"]])
      }
    }
  }

  @Test("returns a socket for notifications, and closes it with the link") func acquireNotify() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      let answer = try await host.call(Host.notification, "GattCharacteristic1", "AcquireNotify", [[:]])
      let socket = try #require(answer.first?.asDescriptor)
      #expect(answer.last == .uint16(247))
      #expect(try await host.get(Host.notification, "GattCharacteristic1", "NotifyAcquired") == true)
      await #expect(throws: error("NotPermitted", "Notify acquired")) {
        try await host.call(Host.notification, "GattCharacteristic1", "StartNotify")
      }
      try world.tags[0].perform(.battery(49, charging: nil))
      var buffer = [UInt8](repeating: 0, count: 512)
      var received: [String] = []
      func drain() -> Int {
        var count = 1
        while count > 0 {
          count = recv(socket.rawValue, &buffer, buffer.count, Int32(MSG_DONTWAIT))
          if count > 0 { received.append(hex(buffer.prefix(count))) }
        }
        return count
      }
      #expect(drain() == -1 && errno == EAGAIN)
      #expect(received.last == "c0 0d 08 00 10 17 18 00 ca 07 04 08 31 10 02")
      try world.tags[0].perform(.dropLink)
      // A process that another test starts at this moment may hold the other end until it executes its program.
      var end = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
      #expect(poll(&end, 1, 5000) == 1)
      #expect(drain() == 0, "the end of the socket is the end of the link")
    }
  }

  @Test("accepts values from a socket") func acquireWrite() async throws {
    try await fixture.run { world, _, host in
      try await host.connect()
      try await host.subscribe()
      let answer = try await host.call(Host.command, "GattCharacteristic1", "AcquireWrite", [[:]])
      let socket = try #require(answer.first?.asDescriptor)
      let value = bytes(hex: Example.hello)!
      #expect(send(socket.rawValue, value, value.count, 0) == value.count)
      while world.tags[0].journal.requests == 0 { try await host.catchUp() }
      await #expect(throws: error("NotPermitted", "Write acquired")) {
        try await host.call(Host.command, "GattCharacteristic1", "WriteValue", [.bytes(value), [:]])
      }
    }
  }
}
