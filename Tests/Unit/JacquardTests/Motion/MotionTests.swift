import EventLoop
import JacquardWire
import Motion
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

@Suite("Motion capture")
struct MotionTests {
  let fixture: WorldFixture
  let watch: ConnectionWatch
  let tag: Jacquard.Tag

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
    tag = try #require(watch.tag)
  }

  func prepare() throws { try fixture.outcome { [tag] in try await tag.prepareMotion() }.get() }

  func start() -> Result<Void, any Error> {
    fixture.outcome { [tag] in
      try await tag.startRecording(RecordingLabels(session: "a"), try MotionSettings(accelerometerHertz: 100))
    }
  }

  func sessions() throws -> [StoredSession] {
    try fixture.outcome { [tag] in try await tag.sessions() }.get()
  }

  func activity() throws -> MotionStatus.Activity {
    try fixture.outcome { [tag] in try await tag.motionStatus() }.get().activity
  }

  @Test("loads the module once, and unloads it") func prepares() throws {
    try prepare()
    try prepare()
    #expect(fixture.tag.modules.isMotionEnabled)
    #expect(fixture.tag.journal.kinds.filter { $0 == .loadModule }.count == 1)
    try fixture.outcome { [tag] in try await tag.releaseMotion() }.get()
    #expect(!fixture.tag.modules.isMotionEnabled)
  }

  @Test("keeps the module loaded while the tag captures, whichever program has started it")
  func keepsRecording() throws {
    try prepare()
    try start().get()
    let released = fixture.outcome { [tag] in try await tag.releaseMotion() }
    #expect(code(released) == .captureInProgress)
    #expect(fixture.tag.modules.isMotionEnabled)
    #expect(try activity() == .recording)
    try fixture.outcome { [tag] in try await tag.stopMotion() }.get()
    try fixture.outcome { [tag] in try await tag.releaseMotion() }.get()
    #expect(!fixture.tag.modules.isMotionEnabled)
  }

  @Test("reports that the module is missing, and loads that fail or are not reported")
  func failedPreparation() throws {
    for (line, expected) in [
      ("module missing", JacquardError.Code.moduleMissing), ("load-report status 3", .tagStatus),
      ("load-report never", .timeout),
    ] {
      try fixture.happen(line)
      let prepared = fixture.outcome { [tag] in try await tag.prepareMotion() }
      #expect(code(prepared) == expected)
      try fixture.happen("module installed")
    }
  }

  @Test("records until it is stopped, with every setting written") func records() throws {
    try prepare()
    try start().get()
    #expect(try activity() == .recording)
    let written = fixture.tag.configuration.imu
    #expect(written == (try MotionSettings(accelerometerHertz: 100)).wire)
    #expect(code(start()) == .captureInProgress)
    fixture.stepped.pass(.seconds(2))
    try fixture.outcome { [tag] in try await tag.stopMotion() }.get()
    #expect(try activity() == .idle)
    #expect(try sessions().map(\.labels.session) == ["a"])
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "is refused with a cause",
    arguments: [("battery 49", JacquardError.Code.lowBattery), ("storage full", .lowStorage)])
  func refused(_ line: String, _ expected: JacquardError.Code) throws {
    try prepare()
    try fixture.happen(line)
    #expect(code(start()) == expected)
  }

  @Test("refuses settings and labels that the tag does not know") func invalid() throws {
    #expect(throws: JacquardError.self) { try MotionSettings(accelerometerHertz: 30) }
    #expect(throws: JacquardError.self) { try MotionSettings(gravities: 3) }
    #expect(throws: JacquardError.self) { try RecordingLabels(session: "").check() }
    #expect(throws: JacquardError.self) {
      try RecordingLabels(session: "a", campaign: String(repeating: "a", count: 31)).check()
    }
  }

  @Test("lists any number of sessions in order") func lists() throws {
    try prepare()
    #expect(try sessions() == [])
    for index in 0..<40 { try fixture.happen("session s\(index) samples \(index)") }
    let listed = try sessions()
    #expect(listed.map(\.labels.session) == (0..<40).map { "s\($0)" })
    #expect(listed.map(\.byteCount) == fixture.tag.recorder.sessions.map { UInt32($0.file.count) })
    #expect(fixture.tag.violations == [])
  }

  @Test("erases one session, and all") func erases() throws {
    try prepare()
    for name in ["a", "b", "c"] { try fixture.happen("session \(name)") }
    fixture.tag.profile.behaviour.eraseTime = .seconds(60)
    let second = try sessions()[1]
    try fixture.outcome { [tag] in try await tag.erase(second) }.get()
    #expect(try sessions().map(\.labels.session) == ["a", "c"])
    try fixture.outcome { [tag] in try await tag.eraseAllSessions() }.get()
    #expect(try sessions() == [])
  }

  @Test("erases on a tag that responds when it has erased, does not report it, or states no status")
  func unusualErasure() throws {
    try prepare()
    let tags = [
      ["motion erase-response end", "motion erase-time 15s"], ["motion erase-report never"],
      ["motion erase-response unstated"],
    ]
    for lines in tags {
      for line in ["session a", "session b", "motion erase-response start", "motion erase-time 500ms"] + lines {
        try fixture.happen(line)
      }
      let began = fixture.now
      let session = try sessions()[0]
      try fixture.outcome { [tag] in try await tag.erase(session) }.get()
      try fixture.outcome { [tag] in try await tag.eraseAllSessions() }.get()
      #expect(fixture.tag.recorder.status == RecorderStatus.idle)
      #expect(began.duration(to: fixture.now) < .seconds(32))
      #expect(try sessions() == [])
    }
    #expect(fixture.tag.violations == [])
  }
}

@Suite("The motion status")
struct MotionStatusTests {
  @Test(
    "distinguishes recordings from streams by the note of the program that began them",
    arguments: [
      (ConfigurationValue.int32(1), MotionStatus.Activity.recording), (.int32(2), .streaming), (.int32(0), .capturing),
      (.int32(3), .capturing), (.string("1"), .recording), (.string("0"), .streaming), (.string("-1"), .capturing),
      (.string("2"), .capturing), (.bool(true), .capturing),
    ])
  func notes(_ note: ConfigurationValue, _ activity: MotionStatus.Activity) {
    #expect(MotionStatus(.logging, mode: CaptureMode(note)).activity == activity)
  }

  @Test("needs no note for the other activities")
  func others() {
    let codes: [(CollectionStatus, MotionStatus.Activity)] = [
      (.idle, .idle), (.logging, .capturing), (.transferring, .transferring), (.erasing, .erasing),
      (.lowBattery, .failed),
    ]
    for (code, activity) in codes { #expect(MotionStatus(code, mode: nil).activity == activity) }
  }
}
