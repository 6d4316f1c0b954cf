import BlueZ
import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

@Suite("Lifetime")
struct LifetimeTests {
  /// Tracks whether objects still exist.
  private struct Weak {
    weak var object: AnyObject?
    let name: String
  }

  private static let moments = [0] + Step.allCases.map(\.rawValue)

  private func everything(of manager: Manager, _ connection: Connection, _ scan: Scan) -> [Weak] {
    let cache = manager.cache
    let uuids = ["eabb", "b8d0", "b8d1", "b8d2"].map { "d2f2\($0)-d165-445c-b0e1-2d6b642ec57b" }
    let characteristics = cache.devices.flatMap { device in
      uuids.map { cache.characteristic($0, service: "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b", of: device) }
    }
    return [
      Weak(object: manager, name: "manager"), Weak(object: manager.core, name: "core"),
      Weak(object: cache, name: "cache"), Weak(object: connection, name: "connection"),
      Weak(object: scan, name: "scan"), Weak(object: connection.state.tag, name: "tag"),
      Weak(object: connection.notifications, name: "notifications"),
    ] + cache.devices.map { Weak(object: $0, name: "device") }
      + cache.adapters.map { Weak(object: $0, name: "adapter") }
      + characteristics.map { Weak(object: $0, name: "characteristic") }
  }

  @Test("after close at any step, loop.close and drain, nothing remains", arguments: moments)
  func nothingLeft(_ step: UInt32) throws {
    var left: [Weak] = []
    weak var loop: EventLoop?
    do {
      let fixture = try WorldFixture()
      loop = fixture.loop
      let scan = fixture.manager.scan { _ in
      } onEnd: { _, _ in
      }
      let connection = try fixture.manager.connect(WorldFixture.identifier)
      func close() {
        left = everything(of: fixture.manager, connection, scan)
        fixture.manager.close()
      }
      connection.states.add { if $0.step == step, left.isEmpty { close() } }
      if step == 0 { close() }
      fixture.run(until: { !left.isEmpty }, within: .seconds(10))
      #expect(left.count >= 7)
      fixture.end()
    }
    #expect(left.filter { $0.object != nil }.map(\.name) == [])
    #expect(loop == nil)
  }

  @Test("no discovery of a removed adapter remains", arguments: ["adapter removed", "bluetoothd kill"])
  func removedAdapter(_ fault: String) throws {
    let fixture = try WorldFixture()
    let scan = fixture.manager.scan(onFound: { _ in }, onEnd: { _, _ in })
    fixture.stepped.pass(.seconds(1))
    weak var discovery: Discovery?
    do { discovery = fixture.manager.core.discovery(on: try #require(fixture.manager.cache.adapters.first)) }
    #expect(discovery != nil)
    scan.stop()
    try fixture.happen(fault)
    fixture.stepped.pass(.seconds(60))
    #expect(discovery == nil)
  }

  @Test("closing with pending commands leaves nothing, and each completes once")
  func commandsUnderWay() throws {
    let outcomes = Recorder<String>()
    weak var tag: Jacquard.Tag?
    do {
      let fixture = try WorldFixture()
      let watch = try fixture.connected()
      tag = watch.tag
      try fixture.happen("on request battery: drop")
      let connected = try #require(watch.tag)
      for number in 0..<5 {
        fixture.loop.spawn {
          do {
            _ = try await connected.readBattery()
            outcomes.note("\(number) answered")
          } catch {
            outcomes.note("\(number) ended")
          }
        }
      }
      fixture.settle()
      fixture.end()
    }
    #expect(outcomes.entries.sorted() == (0..<5).map { "\($0) ended" })
    #expect(tag == nil)
  }

  @Test("an ended connection is released, with its link and tag")
  func endedConnection() throws {
    let fixture = try WorldFixture()
    weak var connection: Connection?
    weak var tag: Jacquard.Tag?
    do {
      let watch = try fixture.connected()
      (connection, tag) = (watch.connection, watch.tag)
      watch.connection.end(.disconnected)
      fixture.run(until: { watch.hasEnded })
    }
    #expect(tag == nil)
    // The manager releases it when it creates the next one.
    let next = try fixture.connected()
    #expect(connection == nil)
    withExtendedLifetime(next) {}
  }

  @Test("an ended scan is released when the next begins")
  func endedScan() throws {
    let fixture = try WorldFixture()
    weak var scan: Scan?
    do {
      let inner = fixture.manager.scan { _ in
      } onEnd: { _, _ in
      }
      inner.stop()
      scan = inner
    }
    let next = fixture.manager.scan { _ in
    } onEnd: { _, _ in
    }
    #expect(scan == nil)
    next.stop()
  }

  @Test("the old link is released after each reconnection, even if its tag is kept")
  func oldLinks() throws {
    let fixture = try WorldFixture()
    let watch = try fixture.connected()
    var tags: [Jacquard.Tag] = []
    for _ in 0..<5 {
      tags.append(try #require(watch.tag))
      try fixture.happen("drop link")
      fixture.run(until: { watch.isConnected })
    }
    for tag in tags { #expect(code(fixture.outcome { try await tag.readBattery() }) == .staleTag) }
  }

  @Test("closing the manager drops its links, so that other programs can use the tag")
  func linksDropped() throws {
    let fixture = try WorldFixture()
    let watch = try fixture.connected()
    #expect(fixture.tag.isConnected)
    fixture.manager.close()
    fixture.stepped.pass(.seconds(5))
    #expect(!fixture.tag.isConnected)
    #expect(fixture.tag.isAdvertising)
    withExtendedLifetime(watch) {}
  }

  @Test("closing cancels a pending Connect, so that BlueZ does not stay connecting")
  func connectCancelled() throws {
    let fixture = try WorldFixture()
    try fixture.happen("connect takes 5s")
    let watch = try fixture.connect()
    fixture.run(until: { watch.states.last?.step == Step.tagKnown.rawValue })
    fixture.manager.close()
    fixture.stepped.pass(.seconds(20))
    #expect(!fixture.tag.isConnected)
    withExtendedLifetime(watch) {}
  }

  @Test("closing twice, or before anything was begun, is allowed")
  func closeTwice() throws {
    let fixture = try WorldFixture()
    fixture.manager.close()
    fixture.manager.close()
    fixture.stepped.pass(.seconds(10))
    var options = Manager.Options()
    options.busAddress = fixture.stepped.bus.address
    let unborn = try Manager(options, loop: fixture.loop)
    unborn.close()
    unborn.start()
    fixture.stepped.pass(.seconds(10))
    #expect(unborn.adapterStatus.state == .unknown)
  }

  @Test("nothing can be started after closing")
  func afterTheEnd() throws {
    let fixture = try WorldFixture()
    fixture.manager.close()
    #expect(throws: JacquardError(.closed, "The manager has been closed.")) {
      try fixture.manager.connect(WorldFixture.identifier)
    }
  }

  @Test(
    "an address with another transport is refused",
    arguments: ["", "tcp:host=localhost,port=1", "unix:", "nonsense", "unix:path="])
  func busAddress(_ address: String) throws {
    let loop = try EventLoop()
    var options = Manager.Options()
    options.busAddress = address
    #expect {
      _ = try Manager(options, loop: loop)
    } throws: {
      ($0 as? JacquardError)?.code == .busAddress
    }
  }
}
