import DBus
import EventLoop
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension RecoveryTests {
  // MARK: A hanging bluetoothd

  /// Reads the battery, and records the error or nil.
  func read(_ tag: Jacquard.Tag, _ results: Recorder<JacquardError.Code?>) {
    fixture.loop.spawn {
      do throws(JacquardError) {
        _ = try await tag.readBattery()
        results.note(nil)
      } catch {
        results.note(error.code)
      }
    }
  }

  @Test("a hanging bluetoothd is reported; the link and its commands continue with it")
  func hangWhileConnected() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.happen("bluetoothd hang")
    let began = fixture.now
    let results = Recorder<JacquardError.Code?>()
    read(tag, results)
    // Ten seconds for the write, five for the probe.
    fixture.run(until: { fixture.manager.adapterStatus.state == .resetting }, within: .seconds(60))
    #expect(began.duration(to: fixture.now) == .seconds(15))
    #expect(fixture.manager.adapterStatus.state == .resetting)
    #expect(fixture.manager.adapterStatus.error?.code == .bluezUnavailable)
    #expect(fixture.manager.adapterStatus.error?.message.contains("does not respond") == true)
    fixture.stepped.pass(.seconds(300))
    #expect(fixture.manager.adapterStatus.state == .resetting)
    #expect(results.entries == [.timeout])
    try fixture.happen("bluetoothd continue")
    #expect(fixture.manager.adapterStatus.state == .poweredOn)
    #expect(watch.isConnected)
    #expect(watch.tag === tag)
    #expect(try works(watch))
    #expect(fixture.tag.violations == [])
  }

  @Test("a bluetoothd that hangs for a minute delays commands, and fails none", arguments: [false, true])
  func hangForAMinute(_ isWritten: Bool) throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    let states = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { states.note($0.state) }
    try fixture.happen("latency 100ms")
    let results = Recorder<JacquardError.Code?>()
    if isWritten { read(tag, results) }
    fixture.stepped.pass(.milliseconds(50))
    try fixture.happen("bluetoothd hang for 60s")
    for _ in 0..<3 { read(tag, results) }
    fixture.stepped.pass(.seconds(59))
    #expect(results.entries == [])
    #expect(states.entries == [.resetting])
    fixture.stepped.pass(.seconds(2))
    #expect(results.entries == Array(repeating: nil, count: isWritten ? 4 : 3))
    #expect(states.entries == [.resetting, .poweredOn])
    #expect(watch.tag === tag)
    #expect(fixture.tag.violations == [])
  }

  @Test("a bluetoothd that hangs during a touch is noticed by a program that only listens")
  func hangWhileTouched() throws {
    let watch = try listening()
    let tag = try #require(watch.tag)
    let touches = Recorder<UInt32>()
    watch.connection.notifications.touches.add { touches.note($0.frame.sequence) }
    let states = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { states.note($0.state) }
    try fixture.happen("every 16ms touch sweep for 90s")
    fixture.stepped.pass(.seconds(10))
    try fixture.happen("bluetoothd hang for 60s")
    fixture.stepped.pass(.seconds(8))
    #expect(states.entries == [.resetting])
    #expect(watch.isConnected)
    fixture.stepped.pass(.seconds(51))
    #expect(states.entries == [.resetting])
    fixture.stepped.pass(.seconds(60))
    #expect(states.entries == [.resetting, .poweredOn])
    #expect(watch.tag === tag)
    #expect(watch.connection.notifications.statistics.counts.interruptions == 1)
    // The kernel kept the first few seconds.
    let sent = try #require(touches.entries.last)
    #expect(sent > 5000 && Int(sent) - touches.entries.count > 3000)
    #expect(fixture.tag.violations == [])
  }

  @Test("each touch costs one probe at its end, and nothing afterwards")
  func probeAfterTouch() throws {
    let watch = try listening()
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    for count in 1...3 {
      try fixture.happen("every 16ms touch sweep for 5s")
      fixture.stepped.pass(.seconds(10))
      #expect(calls.entries == Array(repeating: "Introspect", count: count))
    }
    let wakeUps = fixture.stepped.wakeUps
    fixture.stepped.pass(.seconds(300))
    #expect(fixture.stepped.wakeUps == wakeUps)
    #expect(watch.connection.notifications.statistics.counts.interruptions == 0)
    #expect(fixture.manager.adapterStatus.state == .poweredOn)
  }

  @Test("gestures arrive late if bluetoothd hangs while nothing is expected, and nothing is reported")
  func hangWhileIdle() throws {
    let watch = try fixture.connected()
    try fixture.happen("gear attach levis-trucker")
    fixture.run(until: { (watch.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    var gestures = 0
    watch.connection.notifications.gestures.add { _ in gestures += 1 }
    try fixture.happen("bluetoothd hang for 60s")
    for _ in 0..<50 {
      try fixture.happen("gesture brush-in")
      fixture.stepped.pass(.seconds(1))
    }
    #expect(gestures == 0)
    fixture.stepped.pass(.seconds(20))
    #expect(gestures == 50)
    #expect(watch.connection.notifications.statistics.counts.interruptions == 0)
  }

  /// A connected tag with gear in continuous mode, and with no command in flight.
  private func listening() throws -> ConnectionWatch {
    let watch = try fixture.connected()
    try fixture.happen("gear attach levis-trucker")
    fixture.run(until: { (watch.connection.gear.gear ?? nil) != nil }, within: .seconds(5))
    let gear = try #require(watch.connection.gear.gear ?? nil)
    try fixture.outcome { try await gear.setTouchMode(.continuous) }.get()
    fixture.stepped.pass(.seconds(5))
    return watch
  }

  @Test("a write to which a bluetoothd that responds never replies ends the link, after the limit of ATT")
  func lostWrite() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    let adapterStates = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { adapterStates.note($0.state) }
    try fixture.happen("quirk unanswered-write on")
    let began = fixture.now
    // The response arrives; the write blocks the next command.
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    fixture.run(until: { watch.tag == nil }, within: .seconds(60))
    #expect(began.duration(to: fixture.now) == .seconds(30))
    #expect(watch.states.last?.reason?.code == .connectionLost)
    try fixture.happen("quirk unanswered-write off")
    fixture.run(until: { watch.isConnected }, within: .seconds(20))
    #expect(try works(watch))
    #expect(adapterStates.entries == [])
  }

  @Test("a bluetoothd that hangs during an attempt fails the attempt", arguments: Step.allCases.dropLast(2))
  func hangDuringSetUp(_ step: Step) throws {
    let watch = try fixture.connect()
    var happened = false
    watch.onState = { [fixture] state in
      guard state.step == step.rawValue, !happened else { return }
      happened = true
      do { _ = try fixture.world.control("bluetoothd hang for 30s") } catch { Issue.record(error) }
    }
    fixture.run(until: { happened })
    fixture.run(until: { watch.isConnected }, within: .seconds(55))
    #expect(watch.isConnected)
    #expect(try works(watch))
  }

  @Test("a bluetoothd that hangs during a scan does not end it")
  func hangDuringScan() throws {
    var found = 0
    let ends = Recorder<Scan.End>()
    var options = Scan.Options()
    options.everyReport = true
    let scan = fixture.manager.scan(options) { _ in
      found += 1
    } onEnd: { reason, _ in
      ends.note(reason)
    }
    fixture.stepped.pass(.seconds(2))
    try fixture.happen("bluetoothd hang for 120s")
    fixture.stepped.pass(.seconds(119))
    let before = found
    fixture.stepped.pass(.seconds(2))
    #expect(found > before)
    #expect(ends.entries == [])
    scan.stop()
  }

  @Test("one slow reply is not a hang")
  func slowWrite() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    let states = Recorder<AdapterState>()
    fixture.manager.adapterChanges.add { states.note($0.state) }
    fixture.daemon.setWriteTime(.seconds(25))
    // The tag's response arrives long before bluetoothd's reply that the request has been written.
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    fixture.stepped.pass(.seconds(60))
    #expect(states.entries == [])
    #expect(watch.isConnected)
  }

  @Test("a bluetoothd that is killed while it hangs is handled like any other")
  func killedWhileHanging() throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.happen("bluetoothd hang")
    _ = fixture.outcome { try await tag.readBattery() }
    fixture.stepped.pass(.seconds(30))
    try fixture.happen("bluetoothd restart after 1s")
    fixture.run(until: { watch.isConnected && watch.tag !== tag }, within: .seconds(30))
    #expect(try works(watch))
    #expect(fixture.manager.adapterStatus.state == .poweredOn)
  }
}
