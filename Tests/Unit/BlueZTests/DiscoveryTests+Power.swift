import DBus
import EventLoop
import Testing
import TestWorld

@testable import BlueZ

extension DiscoveryTests {
  // MARK: The adapter's power

  @Test("waits while the adapter is off")
  func poweredOff() {
    setPowered(false)
    let client = client()
    fixture.settle()
    #expect(daemon.calls == [])
    setPowered(true)
    #expect(daemon.calls == Self.start)
    withExtendedLifetime(client) {}
  }

  @Test("is restarted after the adapter was powered off and on, which ends BlueZ's session")
  func powerCycle() {
    let client = client()
    fixture.settle()
    setPowered(false)
    #expect(daemon.calls == Self.start)
    setPowered(true)
    #expect(daemon.calls == Self.start + Self.start)
    client.end()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.start + Self.stop)
  }

  @Test("is restarted even if power off and on immediately follow the reply to its start")
  func powerCycleDuringStart() {
    var cycles = 1
    daemon.answer = { [daemon] call in
      try? call.reply()
      guard call.member == "StartDiscovery", cycles > 0 else { return }
      cycles -= 1
      daemon.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": false])
      daemon.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": true])
    }
    let client = client()
    fixture.settle()
    // If the reply and the changes arrive separately, the session is known to be lost, and is not stopped.
    #expect(daemon.calls.filter { $0 != "StopDiscovery" } == Self.start + Self.start)
    withExtendedLifetime(client) {}
  }

  @Test("is stopped if a power cycle precedes the reply to StartDiscovery and no scan is left")
  func powerCycleBeforeAnswer() {
    var client: Discovery.Client?
    daemon.answer = { [daemon] call in
      if call.member == "StartDiscovery" {
        daemon.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": false])
        daemon.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": true])
        client?.end()
      }
      try? call.reply()
    }
    client = self.client()
    fixture.settle()
    #expect(daemon.calls == Self.start + Self.stop)
  }

  @Test("a refusal because the adapter is being powered off is not a failure")
  func offDuringStart() {
    daemon.answer = { [daemon] call in
      guard call.member == "StartDiscovery" else { return (try? call.reply()) ?? () }
      daemon.change(SampleMachine.adapter, SampleMachine.adapterInterface, ["Powered": false])
      call.fail("org.bluez.Error.NotReady", "Resource Not Ready")
    }
    let client = client()
    fixture.settle()
    #expect(failures.entries == [])
    daemon.answer = { try? $0.reply() }
    setPowered(true)
    #expect(daemon.calls == Self.start + Self.start)
    withExtendedLifetime(client) {}
  }

  @Test("leaves no timer if it is dropped while it runs, as after a crash of bluetoothd")
  func dropped() {
    var own: Discovery? = Discovery(adapter, loop: fixture.loop, serviceUUID: "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b")
    let client = own?.join { _ in }
    fixture.settle()
    #expect(fixture.loop.nextDeadline != nil)
    own = nil
    #expect(fixture.loop.nextDeadline == nil)
    withExtendedLifetime(client) {}
  }

  @Test("makes no calls to a removed adapter, and has no timer for it")
  func adapterGone() {
    let client = client()
    fixture.settle()
    daemon.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
    fixture.settle()
    #expect(fixture.loop.nextDeadline == nil)
    client.end()
    let late = self.client()
    fixture.stepped.pass(.seconds(60))
    #expect(daemon.calls == Self.start)
    withExtendedLifetime(late) {}
  }

  @Test("does not retry if the adapter is removed during the start")
  func adapterGoneDuringStart() {
    daemon.answer = { [daemon] call in
      guard call.member == "StartDiscovery" else { return (try? call.reply()) ?? () }
      daemon.remove(SampleMachine.adapter, [SampleMachine.adapterInterface])
      call.fail("org.freedesktop.DBus.Error.UnknownObject", "")
    }
    let client = client()
    fixture.stepped.pass(.seconds(60))
    #expect(daemon.calls == Self.start)
    #expect(fixture.loop.nextDeadline == nil)
    withExtendedLifetime(client) {}
  }
}
