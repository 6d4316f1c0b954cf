import EventLoop
import Glibc
import JacquardWire
import Motion
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

@Suite("Motion streams")
struct MotionStreamTests {
  private let fixture: WorldFixture
  private let watch: ConnectionWatch
  private let readings = Recorder<StreamTimeline.Reading>()
  private let gaps = Recorder<Gap>()
  private let ended = Recorder<JacquardError?>()

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
  }

  @discardableResult
  private func stream(_ hertz: Double = 100) throws -> Task<Void, Never> {
    let settings = try MotionSettings(accelerometerHertz: hertz, gyroscopeHertz: hertz)
    return fixture.stepped.loop.spawn { [watch, readings, gaps, ended] in
      do {
        try await watch.connection.stream(settings) { event in
          switch event {
          case .samples(let new, _, _): for reading in new { readings.note(reading) }
          case .gap(let gap): gaps.note(gap)
          case .restart: break
          }
        }
      } catch {
        ended.note(error as? JacquardError)
      }
    }
  }

  /// The samples that the tag took between the first and the last received one.
  private var taken: Int {
    guard let first = readings.entries.first, let last = readings.entries.last else { return 0 }
    return Int((Double(last.ticks - first.ticks) / 312.5).rounded()) + 1
  }

  @Test("delivers every sample, and stops the tag when it is cancelled") func delivers() throws {
    let task = try stream()
    fixture.run(until: { readings.entries.count >= 3000 })
    #expect(gaps.entries == [])
    #expect(readings.entries.count == taken)
    let steps = zip(readings.entries.dropFirst(), readings.entries).map { $0.ticks - $1.ticks }
    #expect(steps.allSatisfy { $0 == 312 || $0 == 313 })
    task.cancel()
    fixture.settle()
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
    #expect(fixture.tag.violations == [])
  }

  /// Seconds of virtual time. `Tests/Support/long motion` sets ten minutes.
  private static let fastSeconds = getenv("MOTION_SECONDS").flatMap { Int(String(cString: $0)) } ?? 10

  @Test("loses nothing at 400 and 800 Hz", arguments: [400.0, 800.0])
  func fastRates(_ hertz: Double) throws {
    try fixture.happen("motion rate-error 45")
    try fixture.happen("motion drift 50")
    try stream(hertz)
    let expected = Int(hertz * 1.045) * Self.fastSeconds
    #expect(fixture.run(until: { readings.entries.count >= expected }, within: .seconds(2 * Self.fastSeconds)))
    #expect(gaps.entries == [])
    let first = try #require(readings.entries.first)
    let last = try #require(readings.entries.last)
    let period = 31250 * 1.00005 / (hertz * 1.045)
    #expect(readings.entries.count == Int((Double(last.ticks - first.ticks) / period).rounded()) + 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("reports the exact number of lost samples", arguments: [1, 10, 100]) func losses(_ perThousand: Int) throws {
    try stream(200)
    fixture.run(until: { readings.entries.count >= 400 })
    try fixture.happen("motion loss \(perThousand)")
    fixture.run(until: { readings.entries.count >= 12_000 })
    try fixture.happen("motion loss 0")
    fixture.run(until: { readings.entries.count >= 12_100 })
    let first = try #require(readings.entries.first)
    let last = try #require(readings.entries.last)
    let taken = Int((Double(last.ticks - first.ticks) / 156.25).rounded()) + 1
    #expect(readings.entries.count + gaps.entries.reduce(0) { $0 + $1.missing } == taken)
    #expect(gaps.entries.allSatisfy { $0.uncertainty == 0 })
    #expect(gaps.entries.count > 0)
  }

  @Test("delivers the samples of a value before and after a gap between them") func gapWithinValue() throws {
    try stream()
    fixture.run(until: { readings.entries.count >= 300 })
    let last = try #require(readings.entries.last).sample.ticks
    let value = ([1, 50, 51] as [UInt32]).flatMap { periods in
      [UInt8](repeating: 0, count: 12) + withUnsafeBytes(of: (last &+ 312 * periods).littleEndian, Array.init)
    }
    fixture.tag.send(value, on: .rawData)
    fixture.run(until: { !gaps.entries.isEmpty })
    #expect(gaps.entries.first?.missing == 48)
  }

  @Test("of a program that was killed ends with its link, which the next one drops") func orphaned() throws {
    try stream()
    fixture.run(until: { readings.entries.count >= 30 })
    fixture.manager.core.bluez.close()
    fixture.manager.close()
    let packets = Recorder<[UInt8]>()
    let next = try fixture.anotherManager().connect(WorldFixture.identifier)
    next.notifications.raw.packets.add { packets.note(Array($0)) }
    let nextWatch = ConnectionWatch(next)
    fixture.run(until: { nextWatch.isConnected }, within: .seconds(5))
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
    fixture.stepped.pass(.seconds(10))
    #expect(packets.entries == [])
    #expect(fixture.tag.violations == [])
  }

  @Test("takes no values of a download that begins after it was stopped") func stoppedByProgram() throws {
    try fixture.happen("session 1627344030 samples 500")
    try stream()
    fixture.run(until: { readings.entries.count >= 300 })
    let tag = try #require(watch.tag)
    let session = try #require(try fixture.outcome { try await tag.sessions() }.get().first)
    try fixture.outcome {
      _ = try await tag.stopMotion()
      _ = try await tag.download(session, to: SessionReceiver { _ in })
    }.get()
    #expect(gaps.entries == [])
    #expect(readings.entries.count == taken)
    #expect(fixture.tag.violations == [])
  }

  @Test("is stopped by a recording that follows its end, which its own request does not stop") func followed() throws {
    let task = try stream()
    fixture.run(until: { readings.entries.count >= 30 })
    let tag = try #require(watch.tag)
    let before = fixture.tag.journal.kinds.count
    task.cancel()
    try fixture.outcome { try await tag.startRecording(RecordingLabels(session: "a"), try MotionSettings()) }.get()
    fixture.settle()
    #expect(fixture.tag.recorder.status == RecorderStatus.logging)
    #expect(fixture.tag.journal.kinds[before...].count { $0 == .recordingStop } == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("continues when bluetoothd has hung for a minute, and reports what was lost as a gap") func hang() throws {
    try stream()
    fixture.run(until: { readings.entries.count >= 300 })
    let tag = watch.tag
    try fixture.happen("bluetoothd hang for 60s")
    fixture.stepped.pass(.seconds(59))
    let before = readings.entries.count
    #expect(fixture.manager.adapterStatus.state == .resetting)
    fixture.run(until: { readings.entries.count >= before + 300 }, within: .seconds(30))
    #expect(readings.entries.count + gaps.entries.reduce(0) { $0 + $1.missing } == taken)
    #expect(fixture.manager.adapterStatus.state == .poweredOn)
    #expect(ended.entries == [] && watch.tag === tag)
    #expect(fixture.tag.violations == [])
  }

  @Test("survives the wrap of the tag's clock") func wrap() throws {
    try fixture.happen("motion ticks 4294000000")
    try stream()
    fixture.run(until: { (readings.entries.last?.ticks ?? 0) > 4_294_967_296 + 100_000 })
    #expect(gaps.entries == [])
    #expect(readings.entries.last.map { $0.sample.ticks < 1_000_000 } == true)
  }

  @Test("continues on the next link and reports what is missing") func lostLink() throws {
    try stream()
    fixture.run(until: { readings.entries.count >= 600 })
    let before = readings.entries.count
    try fixture.happen("drop link")
    fixture.run(until: { readings.entries.count >= before + 600 })
    #expect(gaps.entries.count == 1)
    let gap = try #require(gaps.entries.first)
    #expect(abs(readings.entries.count + gap.missing - taken) <= gap.uncertainty)
    #expect(ended.entries.count == 0)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "is refused with a cause",
    arguments: [
      ("battery 49", JacquardError.Code.lowBattery), ("storage full", .lowStorage), ("module missing", .moduleMissing),
    ])
  func refused(_ line: String, _ expected: JacquardError.Code) throws {
    try fixture.happen(line)
    try stream()
    fixture.run(until: { ended.entries.count > 0 })
    #expect(ended.entries.map { $0?.code } == [expected])
  }

  @Test("does not interrupt a recording") func recording() throws {
    let tag = try #require(watch.tag)
    try fixture.outcome {
      try await tag.prepareMotion()
      try await tag.startRecording(RecordingLabels(session: "a"), try MotionSettings())
    }.get()
    try stream()
    fixture.run(until: { ended.entries.count > 0 })
    #expect(ended.entries.map { $0?.code } == [.captureInProgress])
    #expect(fixture.tag.recorder.status == RecorderStatus.logging)
  }

  @Test("restarts if the tag stopped by itself") func stoppedByTag() throws {
    try stream()
    fixture.run(until: { readings.entries.count >= 300 })
    fixture.tag.recorder.interrupt()
    let before = readings.entries.count
    fixture.run(until: { readings.entries.count >= before + 300 })
    #expect(gaps.entries.count == 1)
    #expect(ended.entries.count == 0)
  }

  @Test("counts its samples when another request starts the stream again, at any time between two samples")
  func startedAgain() throws {
    let tag = try #require(watch.tag)
    let settings = try MotionSettings(accelerometerHertz: 100, gyroscopeHertz: 100)
    try stream()
    for pause in [4, 7] {
      let before = readings.entries.count
      fixture.run(until: { readings.entries.count >= before + 9 })
      try fixture.outcome { try await tag.stopMotion() }.get()
      fixture.stepped.pass(.milliseconds(1000 + pause))
      let other = fixture.stepped.loop.spawn { [watch] in try? await watch.connection.stream(settings) { _ in } }
      fixture.run(until: { readings.entries.count >= before + 18 })
      other.cancel()
      fixture.settle()
    }
    #expect(gaps.entries.count >= 2 && gaps.entries.allSatisfy { $0.uncertainty > 0 })
    let counted = readings.entries.count + gaps.entries.reduce(0) { $0 + $1.missing }
    #expect(abs(counted - taken) <= gaps.entries.reduce(0) { $0 + $1.uncertainty })
  }

  private enum Ending: CaseIterable {
    case cancelled, disconnected, closed, cancelledAndDisconnected, cancelledAndClosed
  }

  @Test("is stopped on the tag however it ends, before the link is dropped", arguments: Ending.allCases)
  private func endings(_ ending: Ending) throws {
    let task = try stream()
    fixture.run(until: { readings.entries.count >= 30 })
    let before = fixture.tag.journal.kinds.count
    switch ending {
    case .cancelled: task.cancel()
    case .disconnected: watch.connection.end(.disconnected)
    case .closed: fixture.manager.close()
    case .cancelledAndDisconnected:
      task.cancel()
      watch.connection.end(.disconnected)
    case .cancelledAndClosed:
      task.cancel()
      fixture.manager.close()
    }
    fixture.settle()
    #expect(fixture.tag.journal.kinds[before...].contains(.recordingStop))
    #expect(fixture.tag.violations == [])
  }

  @Test("ends with its connection") func disconnected() throws {
    try stream()
    fixture.run(until: { readings.entries.count >= 30 })
    watch.connection.end(.disconnected)
    fixture.run(until: { ended.entries.count > 0 })
    #expect(ended.entries.map { $0?.code } == [.closed])
  }
}
