import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension SharedTagTests {
  // MARK: Programs that do not share

  @Test("a program with another library is reported, and prevents nothing")
  func foreignProgram() throws {
    let first = try connected(fixture.manager)
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    try fixture.happen("foreign connect")
    fixture.stepped.pass(.seconds(5))
    try fixture.happen("foreign subscribe")
    let watch = try connected(fixture.manager)
    #expect(watch.states.contains { $0.phase != .connected && $0.reason == .inUseByUnknown })
    #expect(watch.connection.state.reason == nil)
    try works(watch)
  }

  // MARK: Exclusive programs

  @Test("a program without the service and the service exclude each other")
  func alone() throws {
    let first = try connected(try fixture.anotherManager(sharing: false))
    let second = try connect(fixture.manager)
    fixture.run(until: { second.hasEnded }, within: .seconds(20))
    #expect(second.connection.state.reason?.code == .inUse)
    try works(first)
    first.connection.end(.disconnected)
    fixture.run(until: { first.hasEnded })
    try works(connected(fixture.manager))
    #expect(fixture.tag.violations == [])
  }

  @Test("an exclusive program is refused while others use the tag, and gets a link that no one uses")
  func exclusive() throws {
    let first = try connected(fixture.manager)
    let exclusive = try fixture.anotherManager(exclusive: true)
    let refused = try connect(exclusive)
    fixture.run(until: { refused.hasEnded }, within: .seconds(10))
    #expect(refused.connection.state.reason?.code == .inUse)
    #expect(refused.connection.state.reason?.message.contains("process \(getpid())") == true)
    try works(first)
    fixture.manager.close()
    let alone = try connected(exclusive)
    #expect(alone.connection.state.serviceProcess == 0)
    try works(alone)
    #expect(fixture.tag.violations == [])
  }

  // MARK: Binding

  @Test("a program that does not finish binding gives way to another one after a minute, and its bond is removed")
  func unfinishedBinding() throws {
    let core = fixture.manager.core
    let entrance = ServiceEntrance(core, WorldFixture.identifier, TagCode(text: "01ZK"))
    let bus = try #require(core.bluez.busID)
    let found = try fixture.outcome { try await entrance.enter(on: bus, isBound: false, streaming: nil) }.get()
    let unfinished = try #require(found)
    fixture.stepped.pass(.seconds(30))
    #expect(fixture.daemon.bonds.contains("bonded"))
    let (other, binding) = (try fixture.anotherManager(), try Binding(code: "01ZK"))
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    let early = ConnectionWatch(try other.bind(WorldFixture.identifier, binding))
    fixture.run(until: { early.hasEnded }, within: .seconds(10))
    #expect(early.connection.state.reason?.code == .busy)
    #expect(calls.entries == [])
    fixture.stepped.pass(.seconds(31))
    let late = ConnectionWatch(try other.bind(WorldFixture.identifier, binding))
    fixture.run(until: { late.isConnected || late.hasEnded }, within: .seconds(60))
    try works(late)
    #expect(calls.entries.contains("RemoveDevice") && calls.entries.contains("Pair"))
    #expect(try other.knownTags().count == 1)
    unfinished.close()
    fixture.stepped.pass(.seconds(10))
    try works(late)
    #expect(fixture.tag.violations == [])
  }

  @Test("a program that binds while the link of another one is set up gets a bond", arguments: 8...14)
  func boundDuringSetUp(step: UInt32) throws {
    try fixture.happen("latency 1500ms")
    let other = try connect(try fixture.anotherManager())
    fixture.run(until: { other.connection.state.step >= step }, within: .seconds(60))
    let binding = try Binding(code: "01ZK")
    let bound = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, binding))
    fixture.run(until: { bound.isConnected || bound.hasEnded }, within: .seconds(60))
    #expect(bound.isConnected && other.isConnected)
    #expect(fixture.daemon.bonds.contains("bonded"))
    fixture.endService()
    fixture.run(until: { !bound.isConnected && !other.isConnected }, within: .seconds(10))
    try fixture.startService()
    fixture.run(until: { bound.isConnected && other.isConnected }, within: .seconds(60))
    try works(bound)
    #expect(fixture.tag.violations == [])
  }

  // MARK: Reservations

  @Test("motion of one program excludes that of another, and the error names the program")
  func reservation() throws {
    let (first, second, _) = try pair()
    let error = Recorder<JacquardError?>()
    let reservation = second.connection.reservation
    let stream = try fixture.outcome { try await reservation.take(.stream) }.get()
    let tag = try #require(first.tag)
    let outcome = fixture.outcome { try await tag.stopMotion() }
    #expect(code(outcome) == .busy)
    if case .failure(let failure as JacquardError) = outcome { error.note(failure) }
    #expect(error.entries.first??.message.includes("process \(getpid())") == true)
    reservation.release(.stream, stream)
    fixture.settle()
    let mine = first.connection.reservation
    let firmware = try fixture.outcome { try await mine.take(.firmware) }.get()
    #expect(code(fixture.outcome { try await reservation.take(.modules) }) == .busy)
    mine.release(.firmware, firmware)
    #expect(code(fixture.outcome { try await reservation.take(.modules) }) == nil)
    second.connection.end(.disconnected)
    fixture.run(until: { second.hasEnded })
    #expect(code(fixture.outcome { try await mine.take(.recording) }) == nil)
  }

  private static let reservedCommands: [Command] = [
    .dfuPrepare, .dfuWrite, .dfuExecute, .collectionStart, .collectionStop, .collectionData, .collectionErase,
    .collectionEraseAll, .loadModule, .unloadModule, .deleteModule, .requestReboot,
  ]

  @Test(
    "requests and bytes that belong to what one program has reserved are refused to others, and the error names it",
    arguments: [ReservationKind.firmware, .recording, .stream, .download, .erasure, .modules])
  private func reservedPackets(_ kind: ReservationKind) throws {
    let (first, second, _) = try pair()
    let (mine, reservation) = (try #require(first.tag), first.connection.reservation)
    let tag = try #require(second.tag)
    let grant = try fixture.outcome { try await reservation.take(kind) }.get()
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    func refusal(_ outcome: Result<some Any, any Error>) {
      guard case .failure(let error as JacquardError) = outcome else {
        Issue.record("not refused")
        return
      }
      #expect(error == .reserved(kind, by: getpid()))
    }
    func exchange(_ command: Command) -> Result<WireResponse, any Error> {
      fixture.outcome { try await tag.exchange(WireRequest(command)) }
    }
    for command in Self.reservedCommands {
      refusal(exchange(command))
    }
    // Commands that this version does not know, of the domains of firmware and motion.
    for domain in [Command.dfuStatus.domain, Command.collectionStatus.domain] {
      refusal(exchange(Command(domain: domain, opcode: 200)))
    }
    refusal(fixture.outcome { try await tag.sendRaw([1, 2, 3]) })
    #expect(calls.entries == [])
    try works(second)
    for command in [Command.listModules, .collectionStatus] {
      #expect(code(fixture.outcome { try await tag.exchange(WireRequest(command)) }) == nil)
      #expect(code(fixture.outcome { try await mine.exchange(WireRequest(command)) }) == nil)
    }
    #expect(code(fixture.outcome { try await mine.exchange(WireRequest(.collectionStop)) }) == nil)
    reservation.release(kind, grant)
    fixture.settle()
    #expect(code(fixture.outcome { try await tag.exchange(WireRequest(.collectionStop)) }) == nil)
  }

  @Test(
    "a check of another component by another program does not end an update", arguments: UpdateOptions.Mode.allCases)
  func firmware(_ mode: UpdateOptions.Mode) throws {
    let (first, second, _) = try pair()
    let image = try FirmwareTests.image(bytes: FirmwareTests.short)
    let other = try FirmwareTests.gear()
    var options = UpdateOptions()
    options.mode = mode
    let outcome = Recorder<JacquardError.Code?>()
    let connection = first.connection
    let results = try fixture.outcome { [fixture, second, options] in
      try await connection.updateFirmware([image]) { progress in
        guard progress.phase == .transferring, progress.done == 256, outcome.entries.isEmpty else { return }
        fixture.loop.spawn {
          do throws(JacquardError) {
            _ = try await second.connection.updateFirmware([other], options)
            outcome.note(nil)
          } catch {
            outcome.note(error.code)
          }
        }
      }
    }.get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(outcome.entries == [.busy])
    #expect(fixture.tag.journal.installed == [FirmwareTests.short])
    #expect(fixture.tag.violations == [])
  }
}
