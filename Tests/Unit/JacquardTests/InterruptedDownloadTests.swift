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
    /// It ends without a word, and another one continues with what it has received.
    case program
  }

  private let bench: WorldFixture
  private let received = Recorder<[UInt8]>()
  private let outcomes = Recorder<Result<UInt16?, any Error>>()
  private let interruptions = Recorder<Interruption>()

  init() throws { bench = try WorldFixture() }

  @Test("are complete, with an interruption after every packet", arguments: Interruption.allCases)
  func everyPacket(_ interruption: Interruption) throws {
    let watch = try bench.connected()
    let tag = try #require(watch.tag)
    try bench.outcome { try await tag.prepareMotion() }.get()
    try bench.happen("session a samples 400")
    let session = try bench.outcome { try await tag.sessions()[0] }.get()
    let file = bench.tag.recorder.sessions[0].file
    var connections = [watch.connection]
    download(session, watch.connection, interruption)

    var repaired = 0
    while outcomes.entries.isEmpty {
      #expect(bench.run(until: { interruptions.entries.count > repaired || !outcomes.entries.isEmpty }))
      guard outcomes.entries.isEmpty, interruptions.entries.count > repaired else { break }
      repaired = interruptions.entries.count
      try repair(interruption)
      guard interruption == .program else { continue }
      connections.append(try bench.otherManagers[repaired - 1].connect(WorldFixture.identifier))
      download(session, connections[repaired], interruption)
    }

    #expect(try outcomes.entries.first?.get() == 0)
    #expect(Array(received.entries.joined()) == file)
    #expect(interruptions.entries.count == (file.count + 507) / 508)
  }

  private func download(_ session: StoredSession, _ connection: Connection, _ interruption: Interruption) {
    let receiver = SessionReceiver { [bench, received, interruptions] bytes in
      received.note(Array(bytes))
      bench.loop.postHere { Self.interrupt(bench, interruption, interruptions) }
    }
    for bytes in received.entries { bytes.withUnsafeBytes { receiver.resume(after: $0) } }
    bench.loop.spawn { [outcomes] in
      do {
        outcomes.note(.success(try await connection.download(session, to: receiver)))
      } catch {
        // A program that has ended learns nothing.
        if interruption != .program { outcomes.note(.failure(error)) }
      }
    }
  }

  private static func interrupt(
    _ bench: WorldFixture, _ interruption: Interruption, _ interruptions: Recorder<Interruption>
  ) {
    interruptions.note(interruption)
    switch interruption {
    case .bus: bench.stepped.killBus()
    case .program: (bench.otherManagers.last ?? bench.manager).close()
    default: _ = try? bench.world.control(interruption.rawValue)
    }
  }

  private func repair(_ interruption: Interruption) throws {
    bench.stepped.pass(.seconds(2))
    switch interruption {
    case .sleep: try bench.happen("move")
    case .bluetoothdKilled: try bench.happen("bluetoothd start")
    case .bus:
      bench.daemon.kill()
      try bench.stepped.startBus()
      try bench.startDaemon()
    case .program: _ = try bench.anotherManager()
    case .hang:
      bench.stepped.pass(.seconds(57))
      #expect(bench.manager.adapterStatus.state == .resetting)
    case .link, .reboot, .bluetoothd: break
    }
  }
}
