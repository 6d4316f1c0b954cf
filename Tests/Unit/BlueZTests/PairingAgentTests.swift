import DBus
import EventLoop
import TestWorld
import Testing

@testable import BlueZ

@Suite("The pairing agent")
struct PairingAgentTests {
  private let fixture: BlueZFixture
  private let daemon: ScriptedBlueZ
  private let pair = Recorder<MethodCall>()

  init() throws {
    fixture = try BlueZFixture()
    daemon = try fixture.begin()
    daemon.answer = { [pair] call in
      if call.member == "Pair" { pair.note(call) } else { try? call.reply() }
    }
    let agent = PairingAgent(fixture.cache)
    let device = try #require(fixture.cache.devices.first)
    fixture.loop.spawn { _ = try? await agent.pair(device, deadline: .seconds(60)) }
    fixture.settle()
  }

  /// The name of the error that bluetoothd's call ends with, or "done".
  private func ask(_ member: String, _ body: [Value], _ interface: String = "org.bluez.Agent1") throws -> String {
    let program = try #require(pair.entries.first?.sender)
    return try fixture.stepped.run { [daemon] in
      do {
        try await daemon.connection.call(
          to: program, path: "/jacquard/agent", interface: interface, member: member, body)
        return "done"
      } catch BusError.remote(let name, _) {
        return name.split(separator: ".").last.map(String.init) ?? ""
      }
    }
  }

  @Test("accepts only what needs no display and no keys, and only for the tag that is being paired")
  func requests() throws {
    let device = Value.objectPath(SampleMachine.device)
    #expect(try ask("RequestConfirmation", [device, .uint32(123456)]) == "done")
    #expect(try ask("RequestAuthorization", [device]) == "done")
    #expect(try ask("RequestAuthorization", [.objectPath("/org/bluez/hci0/dev_other")]) == "Rejected")
    #expect(try ask("RequestPinCode", [device]) == "Rejected")
    #expect(try ask("Cancel", []) == "done")
    #expect(try ask("Unknown", []) == "UnknownMethod")
    #expect(try ask("Cancel", [], "org.example.Agent") == "UnknownMethod")
  }

  @Test("is unregistered afterwards")
  func ends() throws {
    try #require(pair.entries.first).reply()
    fixture.settle()
    #expect(daemon.calls == ["RegisterAgent", "Pair", "UnregisterAgent"])
  }

  @Test("is unregistered if bluetoothd did not reply to its registration in time, because it may register it later")
  func unanswered() throws {
    let fixture = try BlueZFixture()
    let daemon = try fixture.begin()
    // A call that is dropped gets an error.
    let unanswered = Recorder<MethodCall>()
    daemon.answer = { if $0.member == "RegisterAgent" { unanswered.note($0) } else { try? $0.reply() } }
    let agent = PairingAgent(fixture.cache)
    let device = try #require(fixture.cache.devices.first)
    fixture.loop.spawn { _ = try? await agent.pair(device, deadline: .seconds(60)) }
    fixture.stepped.pass(.seconds(60))
    #expect(daemon.calls == ["RegisterAgent", "UnregisterAgent"])
  }

  @Test("that bluetoothd has released is not unregistered")
  func released() throws {
    #expect(try ask("Release", []) == "done")
    try #require(pair.entries.first).reply()
    fixture.settle()
    #expect(daemon.calls == ["RegisterAgent", "Pair"])
  }
}
