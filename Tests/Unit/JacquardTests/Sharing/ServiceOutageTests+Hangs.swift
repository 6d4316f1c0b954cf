import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension ServiceOutageTests {
  // MARK: Services that hang or lie

  @Test("a service that stands still is noticed within five seconds by who waits for it, and commands end")
  func hangs() throws {
    fixture.endService()
    let service = try ScriptedService(fixture, .connects)
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(10))
    service.answersPings = false
    fixture.stepped.pass(.seconds(60))
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    let began = fixture.now
    let results = [Duration?.none, .milliseconds(2000), .seconds(60)].map { limit in
      fixture.outcome { try await tag.readBattery(deadline: limit) }
    }
    #expect(results.compactMap(code) == [.connectionLost, .staleTag, .staleTag])
    #expect(began.duration(to: fixture.now) <= .seconds(5))
    #expect(watch.connection.state.phase == .preparing)
    #expect(watch.connection.state.reason == .serviceHangs(getpid()))
    fixture.stepped.pass(.seconds(120))
    #expect(!watch.hasEnded)
  }

  @Test("nothing is asked of a service while no one waits, and a service that answers may take its time")
  func heartbeat() throws {
    fixture.endService()
    let service = try ScriptedService(fixture, .connects)
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(10))
    fixture.stepped.pass(.seconds(60))
    let idle = service.pings
    fixture.stepped.pass(.seconds(3600))
    #expect(service.pings == idle)
    let tag = try #require(watch.tag)
    let began = fixture.now
    #expect(code(fixture.outcome { try await tag.readBattery(deadline: .seconds(2)) }) == .timeout)
    #expect((.seconds(11)...(.seconds(13))).contains(began.duration(to: fixture.now)))
    #expect(service.pings > idle)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == .timeout)
    #expect(began.duration(to: fixture.now) < .seconds(200))
    #expect(watch.isConnected)
  }

  @Test("a command whose request is sent again lasts no longer than its limit and the grace")
  func secondAttempt() throws {
    let tag = try #require(try connected(1)[0].tag)
    try fixture.happen("quirk unanswered-write on")
    // The response arrives; the write blocks the next command.
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    let began = fixture.now
    #expect(code(fixture.outcome { try await tag.readBattery(deadline: .seconds(2)) }) == .timeout)
    #expect((.seconds(11)...(.seconds(13))).contains(began.duration(to: fixture.now)))
  }

  @Test("a service that ends again and again is asked with growing pauses", arguments: ScriptedService.Manner.ending)
  func endsAgain(manner: ScriptedService.Manner) throws {
    fixture.endService()
    let service = try ScriptedService(fixture, manner)
    let watch = try connect(fixture.manager)
    fixture.stepped.pass(.seconds(5))
    #expect((2...6).contains(service.contacts))
    fixture.stepped.pass(.seconds(115))
    #expect(service.contacts < 16)
    #expect(watch.states.count < 64)
  }

  @Test("a request of a program that has ended is not sent to the tag")
  func orphan() throws {
    let watch = try connected(1)[0]
    _ = battery(watch)
    guard
      case .connected(let channel) = try ServiceSocket.connect(ServicePlace(fixture.servicePath), loop: fixture.loop)
    else {
      Issue.record("no service")
      return
    }
    let bus = try #require(watch.connection.core.bluez.busID)
    var isConnected = false
    channel.start(
      onMessage: { if case .state(let state) = $0, state.phase == Phase.connected.rawValue { isConnected = true } },
      onEnd: { _ in })
    channel.send(
      .hello(.init(version: Version.current.rawValue, purpose: .link, bus: bus, tag: WorldFixture.identifier.text)))
    fixture.run(until: { isConnected }, within: .seconds(5))
    let writes = Recorder<String>()
    fixture.daemon.called = { _, member in if member == "WriteValue" { writes.note(member) } }
    let request = WireRequest.with { $0.id = 1 }
    request.packet().withUnsafeBytes { _ = channel.send(.request(.init(id: 1, packet: $0))) }
    channel.close()
    fixture.stepped.pass(.seconds(1))
    #expect(writes.entries == [])
    #expect((try? battery(watch).get()) != nil)
  }
}
