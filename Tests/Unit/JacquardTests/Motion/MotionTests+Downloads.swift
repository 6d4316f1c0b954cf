import EventLoop
import JacquardWire
import Motion
import Testing
import TestWorld

@testable import Jacquard
@testable import TagSimulator

extension MotionTests {
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
