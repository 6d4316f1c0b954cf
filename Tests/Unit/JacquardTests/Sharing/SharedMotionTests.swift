import EventLoop
import JacquardWire
import Motion
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

/// Motion and bonds of a tag that several programs share.
@Suite("Motion and binding of a shared tag")
struct SharedMotionTests {
  private let fixture: WorldFixture
  private let first: ConnectionWatch
  private let second: ConnectionWatch

  init() throws {
    fixture = try WorldFixture(sharing: true)
    first = try fixture.connected()
    second = ConnectionWatch(try fixture.anotherManager().connect(WorldFixture.identifier))
    let (fixture, second) = (fixture, second)
    try #require(fixture.run(until: { second.isConnected }, within: .seconds(10)))
  }

  private func stream(
    _ watch: ConnectionWatch, _ readings: Recorder<StreamTimeline.Reading>, _ gaps: Recorder<Gap>
  ) throws -> Task<Void, Never> {
    let settings = try MotionSettings(accelerometerHertz: 100, gyroscopeHertz: 100)
    return fixture.loop.spawn {
      try? await watch.connection.stream(settings) { event in
        switch event {
        case .samples(let new, _, _): for reading in new { readings.note(reading) }
        case .gap(let gap): gaps.note(gap)
        case .restart: break
        }
      }
    }
  }

  @Test("a program streams every sample, and another program gets BUSY meanwhile")
  func stream() throws {
    let readings = Recorder<StreamTimeline.Reading>()
    let gaps = Recorder<Gap>()
    let task = try stream(second, readings, gaps)
    fixture.run(until: { readings.entries.count >= 1000 }, within: .seconds(60))
    #expect(gaps.entries == [])
    let oldest = try #require(readings.entries.first)
    let last = try #require(readings.entries.last)
    #expect(readings.entries.count == Int((Double(last.ticks - oldest.ticks) / 312.5).rounded()) + 1)
    let tag = try #require(first.tag)
    #expect(code(fixture.outcome { try await tag.stopMotion() }) == .busy)
    task.cancel()
    fixture.settle()
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
    #expect(code(fixture.outcome { try await tag.stopMotion() }) == nil)
    #expect(fixture.tag.violations == [])
  }

  @Test("the stream of a program that ends is stopped", arguments: [true, false])
  func streamerEnds(_ isSecond: Bool) throws {
    let (watch, other) = isSecond ? (second, first) : (first, second)
    let readings = Recorder<StreamTimeline.Reading>()
    _ = try stream(watch, readings, Recorder<Gap>())
    fixture.run(until: { readings.entries.count >= 100 }, within: .seconds(60))
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded && other.isConnected }, within: .seconds(30))
    fixture.stepped.pass(.seconds(1))
    #expect(other.isConnected)
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
    let tag = try #require(other.tag)
    #expect(code(fixture.outcome { try await tag.stopMotion() }) == nil)
  }

  @Test("nothing stays reserved by a stream that begins while the link is lost", arguments: 0..<12)
  func streamAtLoss(_ dispatches: Int) throws {
    let readings = Recorder<StreamTimeline.Reading>()
    _ = try fixture.world.control("drop link")
    // At one of these moments the service has reported the loss, and the program has not received it.
    for _ in 0..<dispatches { try fixture.loop.dispatch() }
    let task = try stream(second, readings, Recorder<Gap>())
    fixture.run(until: { readings.entries.count >= 100 }, within: .seconds(60))
    #expect(readings.entries.count >= 100)
    task.cancel()
    fixture.settle()
    let tag = try #require(first.tag)
    #expect(code(fixture.outcome { try await tag.stopMotion() }) == nil)
  }

  private func after(_ dispatches: Int, _ body: @escaping () -> Void) {
    guard dispatches > 0 else { return body() }
    fixture.loop.postHere { after(dispatches - 1, body) }
  }

  @Test("a stream that follows one cancelled after a restart of the service receives samples", arguments: 0..<24)
  func streamAfterCancelledOne(_ dispatches: Int) throws {
    let earlier = Recorder<StreamTimeline.Reading>()
    let cancelled = try stream(second, earlier, Recorder<Gap>())
    fixture.run(until: { earlier.entries.count >= 100 }, within: .seconds(60))
    let readings = Recorder<StreamTimeline.Reading>()
    var task: Task<Void, Never>?
    // At one of these moments the earlier one has asked the new service for its stream.
    second.onState = { state in
      guard state.phase == .connected else { return }
      second.onState = { _ in }
      after(dispatches) {
        cancelled.cancel()
        task = try? stream(second, readings, Recorder<Gap>())
      }
    }
    fixture.endService()
    try fixture.startService()
    fixture.run(until: { readings.entries.count >= 100 }, within: .seconds(60))
    #expect(readings.entries.count >= 100)
    task?.cancel()
    fixture.settle()
    fixture.run(until: { first.isConnected }, within: .seconds(60))
    let tag = try #require(first.tag)
    #expect(code(fixture.outcome { try await tag.stopMotion() }) == nil)
  }

  @Test("a program downloads a session, byte by byte what is stored")
  func download() throws {
    try fixture.happen("session walk samples 2000")
    let tag = try #require(second.tag)
    try fixture.outcome { try await tag.prepareMotion() }.get()
    let session = try #require(try fixture.outcome { try await tag.sessions() }.get().first)
    let received = Recorder<[UInt8]>()
    let receiver = SessionReceiver { bytes throws(JacquardError) in received.note(Array(bytes)) }
    let (second, mine) = (second, try #require(first.tag))
    _ = try fixture.outcome { try await second.connection.download(session, to: receiver) }.get()
    #expect(Array(received.entries.joined()).count == Int(session.byteCount))
    #expect(code(fixture.outcome { try await mine.eraseAllSessions() }) == nil)
    #expect(fixture.tag.violations == [])
  }

  @Test("a program does not wait longer for a report of the tag than without the service")
  func missingReport() throws {
    try fixture.happen("load-report never")
    let tag = try #require(second.tag)
    let begin = fixture.loop.now
    #expect(code(fixture.outcome { try await tag.prepareMotion() }) == .timeout)
    #expect(begin.duration(to: fixture.loop.now) < .seconds(10))
  }

  @Test("a program waits for a response as long as its command requires")
  func lateResponse() throws {
    for line in ["motion erase-response end", "motion erase-time 15s", "session a"] { try fixture.happen(line) }
    let tag = try #require(second.tag)
    try fixture.outcome { try await tag.prepareMotion() }.get()
    #expect(code(fixture.outcome { try await tag.eraseAllSessions() }) == nil)
    #expect(fixture.tag.violations == [])
  }

  @Test("a tag is bound over the link of another program")
  func bind() throws {
    let third = try fixture.anotherManager()
    let watch = ConnectionWatch(try third.bind(WorldFixture.identifier, try Binding(code: fixture.tag.profile.serial)))
    fixture.run(until: { watch.isConnected || watch.hasEnded }, within: .seconds(30))
    #expect(watch.isConnected)
    #expect(watch.phases.contains(.authenticating))
    #expect(try third.knownTags().count == 1)
    let wrong = ConnectionWatch(
      try fixture.anotherManager().bind(WorldFixture.identifier, try Binding(code: "XXXXXXXX")))
    fixture.run(until: { wrong.hasEnded }, within: .seconds(30))
    #expect(wrong.connection.state.reason?.code == .wrongCode)
    #expect(first.isConnected && second.isConnected)
  }

  @Test("unbinding removes the bond, and ends the connections for which the tag was bound")
  func unbind() throws {
    let (manager, other) = (try fixture.anotherManager(), try fixture.anotherManager())
    let binding = try Binding(code: fixture.tag.profile.serial)
    let watches = try [manager, other].map { manager in
      let watch = ConnectionWatch(try manager.bind(WorldFixture.identifier, binding))
      fixture.run(until: { watch.isConnected }, within: .seconds(60))
      return watch
    }
    try fixture.outcome { try await manager.unbind(WorldFixture.identifier) }.get()
    #expect(watches[0].hasEnded && watches[0].connection.state.reason == nil)
    #expect(try manager.knownTags() == [])
    #expect(fixture.manager.cache.devices.allSatisfy { !$0.isBonded })
    fixture.run(until: { watches[1].hasEnded }, within: .seconds(60))
    #expect(watches[1].connection.state.reason?.code == .notBound)
    fixture.run(until: { first.isConnected && second.isConnected }, within: .seconds(60))
    #expect(first.isConnected && second.isConnected)
    #expect(code(fixture.outcome { try await other.unbind(WorldFixture.identifier) }) == .notFound)
  }
}
