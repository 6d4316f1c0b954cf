import Glibc
import JacquardTags
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct MotionTests {
  @Test func aRecordingIsListedDownloadedAndErased() async throws {
    let path = "/dev/shm/jacquard-swift-recording-\(getpid())"
    defer { unlink(path) }
    try await withTag { connection, tag in
      try await tag.prepareMotion()
      var session = Session("first")
      session.subject = "me"
      try await tag.startRecording(session)
      #expect(try await tag.motionStatus().activity == .recording)
      #expect(await failure { try await tag.startRecording(Session("second")) }?.code == .captureInProgress)
      try await tag.stopMotion()
      let stored = try #require(try await tag.sessions().last)
      #expect(stored.name == "first" && stored.subject == "me" && stored.campaign == "jacquard" && stored.size > 0)
      try await connection.download(stored, to: path)
      try await connection.download(stored, to: path)
      let reader = try MotionReader()
      let parts = try reader.read(contents(of: path))
      guard case .header(let header, _)? = parts.first else { return #expect(Bool(false), "no header") }
      #expect(header.name == "first")
      #expect(try reader.end().end == .complete)
      try await tag.erase(stored)
      #expect(try await tag.sessions().isEmpty)
      try await tag.releaseMotion()
    }
  }

  @Test func motionIsStreamedUntilTheSequenceIsReleased() async throws {
    try await withTag { connection, tag in
      var count = 0
      for try await event in try connection.motion() {
        guard case .samples(let samples, let ticks, _) = event else { continue }
        #expect(ticks > 30000)
        count += samples.count
        if count > 20 { break }
      }
      try await tag.startRecording(Session("next"))
      try await tag.stopMotion()
      try await tag.eraseAllSessions()
    }
  }

  @Test func aMotionFileIsWrittenAndRead() throws {
    let samples = (0..<10).map {
      MotionCounts(acceleration: MotionVector($0, 2, 3), rotation: MotionVector(4, 5, 6), ticks: UInt32($0) * 1000)
    }
    let writer = try MotionWriter(Session("file"))
    try writer.start(action: 7)
    try writer.add(samples)
    try writer.end()
    let file = try writer.take()
    let reader = try MotionReader()
    let parts = try file.flatMap { try reader.read([$0]) }
    #expect(parts.contains(.start(7)) && parts.last == .end(1))
    let read = parts.flatMap { part in if case .samples(let samples) = part { samples } else { [MotionCounts]() } }
    #expect(read == samples)
    #expect(throws: JacquardError.self) { try MotionReader().read([UInt8](repeating: 1, count: 500)) }
  }

  @Test func firmwareIsCheckedAndInstalled() async throws {
    let image = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let identity = FirmwareIdentity(vendorID: 0x1178_30c8, productID: 0x283b_e7a0, version: Version(1, 97, 0))
    let firmware = try Firmware(image, identity: identity)
    #expect(firmware.identity == identity && firmware.size == 3000)
    #expect(throws: JacquardError.self) { try Firmware(image) }
    try await withTag { connection, _ in
      var options = UpdateOptions()
      options.mode = .check
      #expect(try await connection.updateFirmware([firmware], options).map(\.outcome) == [.pending])
      let results = try await connection.updateFirmware([firmware])
      #expect(results.map(\.outcome) == [.installed] && results[0].after == identity.version)
    }
    tell("firmware 1.96.0")
  }

  @Test func touchesAreTracked() async throws {
    try await withGear { connection, tag, gear in
      try await gear.setTouchMode(.continuous)
      let touches = try connection.touches()
      let tracker = try TouchTracker()
      _ = try await tag.battery()
      tell("touch 7 0 0 0 60 120 60 0 0 0 0 0 0")
      let touch = try #require(try await touches.first(1).first)
      let points = try tracker.process(touch)
      #expect(points.map(\.phase) == [.began] && abs(points[0].position - 4) < 0.1)
      #expect(try tracker.health().count == 12 && tracker.gestures().isEmpty)
      #expect(try tracker.process(until: touch.arrivalNanoseconds + 1_000_000_000).map(\.phase) == [.ended])
      #expect(try tracker.cancel(at: touch.arrivalNanoseconds + 2_000_000_000).isEmpty)
      try await gear.setTouchMode(.gesture)
    }
  }

  private func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}
