import CDBus
import DBus
import EventLoop
import Glibc
import Synchronization
import TestWorld
import Testing

@testable import BlueZ
@testable import Jacquard

@Suite("Packets written to a characteristic")
struct PacketWriterTests {
  private let life = LinkLife()
  private let stepped: SteppedBus
  private let bluez: BlueZClient
  private let daemon: ScriptedBlueZ
  private let written = Recorder<String>()
  private let unanswered = Recorder<MethodCall>()
  private let overdue = Recorder<Void>()

  init() throws {
    stepped = try SteppedBus()
    bluez = BlueZClient(loop: stepped.loop, address: try stepped.address) { _ in }
    daemon = ScriptedBlueZ(stepped.loop, try stepped.address)
    daemon.answer = { [written, unanswered] call in
      let value = call.body().first?.asBytes ?? []
      let type = call.body().last?["type"]?.asString ?? "?"
      written.note("\(type) \(value.count)")
      unanswered.note(call)
    }
    try stepped.run { [daemon] in try await daemon.start() }
    bluez.start()
    stepped.settle()
  }

  private func writer(
    _ flags: [String], preferred: GattCharacteristic.WriteType = .request, mtu: UInt16? = 247
  ) throws -> PacketWriter {
    var properties = SampleMachine.characteristicProperties
    properties["Flags"] = .strings(flags)
    properties["MTU"] = mtu.map { .uint16($0) }
    daemon.add(SampleMachine.device, [SampleMachine.deviceInterface: SampleMachine.deviceProperties])
    daemon.add(
      SampleMachine.service,
      [SampleMachine.serviceInterface: ["UUID": "1", "Device": .objectPath(SampleMachine.device)]])
    daemon.add(SampleMachine.characteristic, [SampleMachine.characteristicInterface: properties])
    stepped.settle()
    let device = try #require(bluez.cache.devices.first)
    let uuid = "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b"
    let characteristic = try #require(bluez.cache.characteristic(uuid, service: "1", of: device))
    return PacketWriter(
      characteristic, preferred: preferred, mtuOf: characteristic, deadline: .seconds(10), transaction: .seconds(30),
      life)
  }

  private func send(_ writer: PacketWriter, _ count: Int) -> Recorder<String> {
    send(count) { [overdue] in
      let written = Completion<Void, JacquardError>()
      writer.write($0, overdue: { overdue.note(()) }) { written.complete($0) }
      try await written.value()
    }
  }

  private func send(_ count: Int, _ write: @escaping ([UInt8]) async throws -> Void) -> Recorder<String> {
    let outcome = Recorder<String>()
    stepped.loop.spawn {
      do {
        try await write([UInt8](repeating: 1, count: count))
        outcome.note("sent")
      } catch let error as JacquardError {
        outcome.note("\(error.code)")
      } catch {
        outcome.note("\(error)")
      }
    }
    stepped.settle()
    return outcome
  }

  private func rawChannel(_ writer: PacketWriter) -> RawChannel {
    RawChannel(Notifications(log: TagLog(Log(), WorldFixture.identifier), statistics: Statistics())) {
      writer.write($0, overdue: $1, completion: $2)
    }
  }

  private func answer() throws {
    try #require(unanswered.entries.last).reply()
    stepped.settle()
  }

  @Test(
    "are written with the preferred type if supported, otherwise with the other",
    arguments: [
      (["write", "write-without-response"], GattCharacteristic.WriteType.request, "request 12"),
      (["write", "write-without-response"], .command, "command 12"), (["write"], .command, "request 12"),
      (["write-without-response"], .request, "command 12"),
    ])
  func ways(_ flags: [String], _ preferred: GattCharacteristic.WriteType, _ way: String) throws {
    let outcome = send(try writer(flags, preferred: preferred), 10)
    #expect(written.entries == [way])
    try answer()
    #expect(outcome.entries == ["sent"])
  }

  @Test("are sent one fragment at a time, each after BlueZ has accepted the previous one")
  func fragments() throws {
    let outcome = send(try writer(["write"]), 150)
    #expect(written.entries == ["request 61"])
    try answer()
    try answer()
    #expect(written.entries == ["request 61", "request 61", "request 33"])
    #expect(outcome.entries == [])
    try answer()
    #expect(outcome.entries == ["sent"])
  }

  @Test("are fragmented to the link's MTU, or to the tag's default if BlueZ does not know it")
  func mtu() throws {
    _ = send(try writer(["write"], mtu: nil), 100)
    #expect(written.entries == ["request 61"])
  }

  @Test(
    "are fragmented further if the link's MTU is smaller", arguments: [(UInt16(23), "request 20"), (0, "request 20")])
  func smallMTU(_ mtu: UInt16, _ first: String) throws {
    _ = send(try writer(["write"], mtu: mtu), 100)
    #expect(written.entries == [first])
  }

  @Test("of the raw data channel do not mix: a packet waits for the previous one, whatever its result")
  func inOrder() throws {
    let channel = rawChannel(try writer(["write"]))
    let first = send(150) { try await channel.send($0).value() }
    let second = send(10) { try await channel.send($0).value() }
    #expect(written.entries == ["request 61"])
    try #require(unanswered.entries.last).fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
    stepped.settle()
    #expect(first.entries == ["gatt"])
    #expect(written.entries == ["request 61", "request 12"])
    try answer()
    #expect(second.entries == ["sent"])
  }

  @Test("are overdue if BlueZ does not accept them in time, and are completed when it does")
  func deadline() throws {
    let outcome = send(try writer(["write"]), 100)
    stepped.pass(.seconds(9))
    #expect(overdue.entries.count == 0)
    stepped.pass(.seconds(1000))
    #expect(overdue.entries.count == 1)
    #expect(outcome.entries == [])
    try answer()
    try answer()
    #expect(written.entries == ["request 61", "request 42"])
    #expect(outcome.entries == ["sent"])
  }

  @Test("are completed although this machine has no memory for a fragment in between; the first may fail")
  func exhausted() throws {
    let writer = try writer(["write"])
    FailingSends.fail("WriteValue", times: 1)
    #expect(send(writer, 150).entries == ["system"])
    let outcome = send(writer, 150)
    FailingSends.fail("WriteValue", times: 3)
    try answer()
    #expect(written.entries == ["request 61"])
    stepped.pass(.seconds(1))
    #expect(written.entries == ["request 61", "request 61"])
    try answer()
    try answer()
    #expect(written.entries == ["request 61", "request 61", "request 33"])
    #expect(outcome.entries == ["sent"])
  }

  @Test("end with the link while this machine has no memory for them")
  func closedWhileExhausted() throws {
    let writer = try writer(["write"])
    let outcome = send(writer, 150)
    FailingSends.fail("WriteValue", times: 1)
    try answer()
    life.end(JacquardError(.connectionLost, ""))
    stepped.pass(.seconds(1))
    #expect(outcome.entries == ["connectionLost"])
    #expect(written.entries == ["request 61"])
  }

  @Test("are refused if they are too long")
  func tooLong() throws {
    #expect(send(try writer(["write"]), 1025).entries == ["invalidArgument"])
    #expect(written.entries == [])
  }

  @Test("are not written after the link has ended, neither waiting ones nor the rest of a started one")
  func closed() throws {
    let writer = try writer(["write"])
    let channel = rawChannel(writer)
    let begun = send(150) { try await channel.send($0).value() }
    let waiting = send(10) { try await channel.send($0).value() }
    life.end(JacquardError(.connectionLost, ""))
    try answer()
    #expect(begun.entries == ["connectionLost"])
    #expect(waiting.entries == ["connectionLost"])
    #expect(send(writer, 10).entries == ["connectionLost"])
    #expect(written.entries == ["request 61"])
  }

  @Test("end with the link, however many wait") func many() throws {
    let channel = rawChannel(try writer(["write"]))
    let waiting = (0..<100_000).map { _ in channel.send([1]) }
    stepped.settle()
    life.end(JacquardError(.connectionLost, ""))
    try answer()
    #expect(written.entries == ["request 3"])
    #expect(waiting.count { $0.isComplete } == waiting.count)
  }

  @Test("fall back to commands once, and only from requests")
  func fallBack() throws {
    let writer = try writer(["write", "write-without-response"])
    #expect(writer.fallBackToCommands())
    #expect(!writer.fallBackToCommands())
    _ = send(writer, 10)
    #expect(written.entries == ["command 12"])
  }
}

/// libdbus without memory for the next calls of one method: its function, which the linker finds here first.
enum FailingSends {
  fileprivate static let failing = Mutex((member: "", count: 0))

  static func fail(_ member: String, times count: Int) { failing.withLock { $0 = (member, count) } }

  fileprivate static func takes(_ message: OpaquePointer) -> Bool {
    failing.withLock { failing in
      guard failing.count > 0, let member = dbus_message_get_member(message), String(cString: member) == failing.member
      else { return false }
      failing.count -= 1
      return true
    }
  }

  fileprivate typealias Send = @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutablePointer<UInt32>?) -> UInt32
  fileprivate static let next = unsafeBitCast(
    dlsym(UnsafeMutableRawPointer(bitPattern: -1), "dbus_connection_send"), to: Send.self)
}

@_cdecl("dbus_connection_send")
func sendUnlessItFails(
  _ connection: OpaquePointer, _ message: OpaquePointer, _ serial: UnsafeMutablePointer<UInt32>?
) -> UInt32 {
  FailingSends.takes(message) ? 0 : FailingSends.next(connection, message, serial)
}
