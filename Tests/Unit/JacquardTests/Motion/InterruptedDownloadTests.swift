import EventLoop
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

@Suite("Interrupted downloads")
struct InterruptedDownloadTests {
  enum Interruption: String, CaseIterable {
    case link = "drop link"
    case reboot, sleep
    case bluetoothd = "bluetoothd restart after 2s"
    case bluetoothdKilled = "bluetoothd kill"
    case hang = "bluetoothd hang for 60s"
    case bus
    /// The program ends without notice, and another one continues with the received bytes.
    case program
  }

  private let fixture: WorldFixture
  private let received = Recorder<[UInt8]>()
  private let outcomes = Recorder<Result<UInt16?, any Error>>()
  private let interruptions = Recorder<Interruption>()

  init() throws { fixture = try WorldFixture() }

  @Test("are complete, with an interruption after every packet", arguments: Interruption.allCases)
  func everyPacket(_ interruption: Interruption) throws {
    let watch = try fixture.connected()
    let tag = try #require(watch.tag)
    try fixture.outcome { try await tag.prepareMotion() }.get()
    try fixture.happen("session a samples 400")
    let session = try fixture.outcome { try await tag.sessions()[0] }.get()
    let file = fixture.tag.recorder.sessions[0].file
    var connections = [watch.connection]
    download(session, watch.connection, interruption)

    var repaired = 0
    while outcomes.entries.isEmpty {
      #expect(fixture.run(until: { interruptions.entries.count > repaired || !outcomes.entries.isEmpty }))
      guard outcomes.entries.isEmpty, interruptions.entries.count > repaired else { break }
      repaired = interruptions.entries.count
      try repair(interruption)
      guard interruption == .program else { continue }
      connections.append(try fixture.otherManagers[repaired - 1].connect(WorldFixture.identifier))
      download(session, connections[repaired], interruption)
    }

    #expect(try outcomes.entries.first?.get() == 0)
    #expect(Array(received.entries.joined()) == file)
    #expect(interruptions.entries.count == (file.count + 507) / 508)
  }

  private func download(_ session: StoredSession, _ connection: Connection, _ interruption: Interruption) {
    let receiver = SessionReceiver { [fixture, received, interruptions] bytes in
      received.note(Array(bytes))
      fixture.loop.postHere { Self.interrupt(fixture, interruption, interruptions) }
    }
    for bytes in received.entries { bytes.withUnsafeBytes { receiver.resume(after: $0) } }
    fixture.loop.spawn { [outcomes] in
      do {
        outcomes.note(.success(try await connection.download(session, to: receiver)))
      } catch {
        // A program that has ended learns nothing.
        if interruption != .program { outcomes.note(.failure(error)) }
      }
    }
  }

  private static func interrupt(
    _ fixture: WorldFixture, _ interruption: Interruption, _ interruptions: Recorder<Interruption>
  ) {
    interruptions.note(interruption)
    switch interruption {
    case .bus: fixture.stepped.killBus()
    case .program: (fixture.otherManagers.last ?? fixture.manager).close()
    default: _ = try? fixture.world.control(interruption.rawValue)
    }
  }

  private func repair(_ interruption: Interruption) throws {
    fixture.stepped.pass(.seconds(2))
    switch interruption {
    case .sleep: try fixture.happen("move")
    case .bluetoothdKilled: try fixture.happen("bluetoothd start")
    case .bus:
      fixture.daemon.kill()
      try fixture.stepped.startBus()
      try fixture.startDaemon()
    case .program: _ = try fixture.anotherManager()
    case .hang:
      fixture.stepped.pass(.seconds(57))
      #expect(fixture.manager.adapterStatus.state == .resetting)
    case .link, .reboot, .bluetoothd: break
    }
  }
}
