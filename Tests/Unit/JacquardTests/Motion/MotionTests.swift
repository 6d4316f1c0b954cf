import EventLoop
import JacquardWire
import Motion
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

@Suite("Motion capture")
struct MotionTests {
  private let fixture: WorldFixture
  private let watch: ConnectionWatch
  private let tag: Jacquard.Tag

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
    tag = try #require(watch.tag)
  }

  private func prepare() throws { try fixture.outcome { [tag] in try await tag.prepareMotion() }.get() }

  private func start() -> Result<Void, any Error> {
    fixture.outcome { [tag] in
      try await tag.startRecording(RecordingLabels(session: "a"), try MotionSettings(accelerometerHertz: 100))
    }
  }

  private func sessions() throws -> [StoredSession] {
    try fixture.outcome { [tag] in try await tag.sessions() }.get()
  }

  private func activity() throws -> MotionStatus.Activity {
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

  private func receiver(_ received: Recorder<[UInt8]>, after existing: some Sequence<UInt8> = []) -> SessionReceiver {
    let receiver = SessionReceiver { received.note(Array($0)) }
    Array(existing).withUnsafeBytes { receiver.resume(after: $0) }
    return receiver
  }

  private func storedSession(samples: Int = 200) throws -> (session: StoredSession, file: [UInt8]) {
    try prepare()
    try fixture.happen("session a samples \(samples)")
    return (try sessions()[0], fixture.tag.recorder.sessions[0].file)
  }

  @Test("downloads a session from any offset") func downloads() throws {
    let (session, file) = try storedSession()
    for offset in [0, 1, 508, 3000, file.count - 1, file.count] {
      let received = Recorder<[UInt8]>()
      let receiver = receiver(received, after: file[..<offset])
      let seed = try fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }.get()
      #expect(seed == 0)
      #expect(Array(received.entries.joined()) == Array(file[offset...]))
    }
    #expect(fixture.tag.violations == [])
  }

  @Test("neither loses nor repeats packets of two bytes, with the letter A, or whose numbers restart")
  func unusualPackets() throws {
    try fixture.happen("packet-numbers restart")
    let (session, file) = try storedSession(samples: 3)
    for chunk in [1, 2, 3, 61] {
      fixture.tag.downloads.chunk = chunk
      let received = Recorder<[UInt8]>()
      let receiver = receiver(received)
      _ = try fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }.get()
      #expect(Array(received.entries.joined()) == file)
    }
  }

  @Test("reports a session that differs from the listed one", arguments: [1, -1]) func damaged(_ change: Int) throws {
    var (session, file) = try storedSession()
    file[40] &+= 1
    fixture.tag.recorder.sessions[0].file = file
    if change < 0 { session.byteCount -= 1 }
    let receiver = receiver(Recorder())
    let outcome = fixture.outcome { [watch, session] in try await watch.connection.download(session, to: receiver) }
    #expect(code(outcome) == .damagedSession)
    let status = try fixture.outcome { [tag] in try await tag.motionStatus() }.get()
    #expect(status.activity == .idle)
  }

  @Test("recognises both start values of the checksum") func seeds() throws {
    var (session, file) = try storedSession()
    var sum = CRC16(seed: 0xffff)
    file.withUnsafeBytes { sum.update($0) }
    session.checksum = sum.value
    for (listed, expected) in [(sum.value, UInt16(0xffff)), (nil, nil)] as [(UInt16?, UInt16?)] {
      session.checksum = listed
      let receiver = receiver(Recorder())
      let seed = try fixture.outcome { [watch, session] in try await watch.connection.download(session, to: receiver) }
        .get()
      #expect(seed == expected)
    }
  }

  @Test("leaves data on the tag that the receiver could not store") func fullDisk() throws {
    let (session, file) = try storedSession()
    let received = Recorder<[UInt8]>()
    let full = SessionReceiver { bytes throws(JacquardError) in
      if received.entries.count == 3 { throw JacquardError(.system, "The disk is full.") }
      received.note(Array(bytes))
    }
    let first = fixture.outcome { [watch] in try await watch.connection.download(session, to: full) }
    #expect(code(first) == .system)
    let kept = Array(received.entries.joined())
    #expect(kept.count == 3 * 508)
    let receiver = receiver(received, after: kept)
    _ = try fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }.get()
    #expect(Array(received.entries.joined()) == file)
  }

  @Test("asks for the status when the request for a session gets no response") func unansweredRequest() throws {
    let (session, file) = try storedSession()
    try fixture.happen("on request session-data once: drop")
    let received = Recorder<[UInt8]>()
    let receiver = receiver(received)
    _ = try fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }.get()
    #expect(Array(received.entries.joined()) == file)
    #expect(fixture.tag.violations == [])
  }

  @Test("stops the download on the tag when it is cancelled, and takes no packet that is on its way")
  func cancelled() throws {
    let (session, _) = try storedSession(samples: 2000)
    let received = Recorder<[UInt8]>()
    final class Running { var task: Task<Void, Never>? }
    let running = Running()
    let receiver = SessionReceiver {
      received.note(Array($0))
      if received.entries.count == 3 { running.task?.cancel() }
    }
    let delivered = Recorder<[UInt8]>()
    watch.connection.notifications.raw.packets.add { delivered.note(Array($0)) }
    running.task = fixture.stepped.loop.spawn { [watch] in
      _ = try? await watch.connection.download(session, to: receiver)
    }
    fixture.settle()
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
    #expect(fixture.tag.journal.kinds.contains(.recordingStop))
    #expect(received.entries.count == 3)
    #expect(delivered.entries.count == 3)
    #expect(fixture.tag.journal.rawPackets.count == 3)
    #expect(fixture.tag.violations == [])
  }

  @Test("does not unload the module under a recording that starts while the status is read")
  func releaseBesideStart() throws {
    try prepare()
    let settings = try MotionSettings(accelerometerHertz: 100)
    let begun = Recorder<String>()
    fixture.stepped.loop.spawn { [tag] in _ = try? await tag.releaseMotion() }
    fixture.run(until: { fixture.tag.journal.kinds.last == .recordingStatus })
    fixture.stepped.loop.spawn { [tag] in
      do throws(JacquardError) {
        try await tag.startRecording(RecordingLabels(session: "a"), settings)
        begun.note("recording")
      } catch {}
    }
    fixture.settle()
    #expect(begun.entries.isEmpty || fixture.tag.modules.isMotionEnabled)
  }

  @Test("needs the size from the tag's list for a download") func unlisted() throws {
    let requests = fixture.tag.journal.kinds.count
    let session = StoredSession(labels: RecordingLabels(session: "a"), byteCount: 0, checksum: nil)
    let receiver = receiver(Recorder())
    let outcome = fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }
    #expect(code(outcome) == .invalidArgument)
    #expect(fixture.tag.journal.kinds.count == requests)
  }

  @Test("reports a session that is shorter than the listed one when the tag has sent it") func short() throws {
    var (session, file) = try storedSession()
    session.byteCount += 100
    let receiver = receiver(Recorder())
    let began = fixture.now
    let outcome = fixture.outcome { [watch, session] in try await watch.connection.download(session, to: receiver) }
    #expect(code(outcome) == .damagedSession)
    #expect(receiver.byteCount == file.count)
    #expect(began.duration(to: fixture.now) < .seconds(15))
  }

  @Test("neither stores nor acknowledges a packet whose number is not the next one") func wrongNumber() throws {
    let (session, file) = try storedSession(samples: 2000)
    let received = Recorder<[UInt8]>()
    let receiver = SessionReceiver { [fixture] in
      received.note(Array($0))
      guard received.entries.count == 3 else { return }
      fixture.loop.postHere { _ = try? fixture.world.control("raw-packet 77 0102") }
    }
    _ = try fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }.get()
    #expect(Array(received.entries.joined()) == file)
    #expect(fixture.tag.downloads.unacknowledged == [77])
    #expect(fixture.tag.violations == [])
  }

  @Test("continues a download if the tag skips a number") func skippedNumber() throws {
    let (session, file) = try storedSession(samples: 2000)
    let received = Recorder<[UInt8]>()
    let receiver = SessionReceiver { [fixture] in
      received.note(Array($0))
      // The tag repeats the next packet, with another number.
      if received.entries.count == 3 { fixture.loop.postHere { fixture.tag.downloads.sequence &+= 9 } }
    }
    _ = try fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }.get()
    #expect(Array(received.entries.joined()) == file)
  }

  @Test("names the module that is not loaded") func unprepared() throws {
    let refused = fixture.outcome { [tag] in try await tag.sessions() }
    #expect(code(refused) == .tagStatus)
    guard case .failure(let error as JacquardError) = refused else { return }
    #expect(error.message == "The motion module is not loaded.")
    #expect(error.tagStatus == TagStatus.unsupported.rawValue)
  }

  @Test("ends a download with its connection") func disconnected() throws {
    let (session, _) = try storedSession()
    let receiver = SessionReceiver { [watch] _ in watch.connection.end(.disconnected) }
    let outcome = fixture.outcome { [watch] in try await watch.connection.download(session, to: receiver) }
    #expect(code(outcome) == .closed)
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
