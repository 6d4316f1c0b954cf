import EventLoop
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

/// Whatever a tag does between the execute request and its restart, an update reports what is on the tag.
@Suite("The outcome of firmware updates")
struct FirmwareOutcomeTests {
  enum Incident: String, CaseIterable {
    case none
    case linkLost
    case responseLost = "on request dfu-execute once: corrupt truncated"
    case reverted = "verification reverted"
    case otherVersion = "next-firmware 1.95.0"
  }

  struct Kind: CustomTestStringConvertible {
    /// Actions of the software tag.
    var removal: String
    var flashing: String
    var time: Duration
    var incident: Incident

    var testDescription: String { "\(removal), \(flashing), \(time), \(incident)" }

    static let all: [Kind] = ["restart", "execute"].flatMap { removal in
      ["busy", "responds"].flatMap { flashing in
        [Duration.milliseconds(20), .seconds(3)].flatMap { time in
          Incident.allCases.map {
            Kind(
              removal: "image-removal \(removal)", flashing: "flashing \(flashing)", time: time, incident: $0)
          }
        }
      }
    }
  }

  private let fixture: WorldFixture
  private let watch: ConnectionWatch

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
    fixture.tag.profile.sleepAfter = .seconds(100_000)
    try fixture.happen("gear attach levis-trucker")
  }

  private func prepare(_ kind: Kind) throws {
    for line in [kind.removal, kind.flashing, "flash-time \(kind.time / .milliseconds(1))ms"] {
      try fixture.happen(line)
    }
    if ![.none, .linkLost].contains(kind.incident) { try fixture.happen(kind.incident.rawValue) }
  }

  /// - Parameter lossAfter: the time from the execute request to the loss of the link.
  private func update(_ image: FirmwareImage, lossAfter: Duration? = nil) -> Result<[UpdateResult], any Error> {
    let connection = watch.connection
    var isExecuting = false
    return fixture.outcome { [fixture] in
      try await connection.updateFirmware([image]) { progress in
        guard let lossAfter, progress.phase == .executing, !isExecuting else { return }
        isExecuting = true
        fixture.when({ fixture.tag.firmware.running != nil }) {
          fixture.loop.schedule(after: lossAfter) { _ = try? fixture.world.control("drop link") }
        }
      }
    }
  }

  @Test("is the version on the tag, whose modules are loaded again", arguments: Kind.all)
  func ofTag(_ kind: Kind) throws {
    try fixture.outcome { [watch] in try await watch.connection.currentTag().prepareMotion() }.get()
    try prepare(kind)
    let image = try FirmwareTests.image(bytes: FirmwareTests.short)
    let outcome = update(image, lossAfter: kind.incident == .linkLost ? kind.time / 2 : nil)
    #expect(fixture.tag.firmware.running == nil)
    #expect((code(outcome) == nil) == (fixture.tag.profile.firmware == Version(1, 97, 0)))
    #expect((code(outcome) == nil) == [.none, .linkLost, .responseLost].contains(kind.incident))
    if code(outcome) != nil { #expect(code(outcome) == .notInstalled) }
    #expect(fixture.tag.modules.isMotionEnabled)
    #expect(fixture.tag.journal.executions == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("is the version of the gear", arguments: Kind.all.filter { $0.flashing == "flashing busy" })
  func ofGear(_ kind: Kind) throws {
    try prepare(kind)
    switch kind.incident {
    case .reverted: try fixture.happen("gear-report status 8")
    case .responseLost: try fixture.happen("gear-report never")
    case .linkLost, .otherVersion, .none: break
    }
    let image = try FirmwareTests.gear()
    let outcome = update(image, lossAfter: kind.incident == .linkLost ? kind.time / 2 : nil)
    #expect(fixture.tag.firmware.running == nil)
    #expect((code(outcome) == nil) == (fixture.tag.attachment?.gear.firmware == Version(1, 3, 0)))
    #expect((code(outcome) == nil) == [.none, .linkLost, .responseLost].contains(kind.incident))
    if code(outcome) != nil { #expect(code(outcome) == .notInstalled) }
    #expect(fixture.tag.journal.executions == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("of gear that is detached after it has flashed is known if it is attached again", arguments: [true, false])
  func reattached(_ returns: Bool) throws {
    try fixture.happen("gear-report never")
    let image = try FirmwareTests.gear()
    let connection = watch.connection
    let outcome = fixture.outcome { [fixture] in
      try await connection.updateFirmware([image]) { progress in
        guard progress.phase == .executing else { return }
        fixture.when({ !fixture.tag.journal.installed.isEmpty }) {
          guard let gear = fixture.tag.attachment?.gear else { return }
          _ = try? fixture.world.control("gear detach")
          guard returns else { return }
          fixture.loop.schedule(after: .seconds(1)) { try? fixture.tag.perform(.attach(gear, component: nil)) }
        }
      }
    }
    #expect(code(outcome) == (returns ? nil : .notInstalled))
  }

  @Test("is awaited by the next call if the first one is cancelled after the execute request", arguments: Kind.all)
  func cancelled(_ kind: Kind) throws {
    try prepare(kind)
    let image = try FirmwareTests.image(bytes: FirmwareTests.short)
    let connection = watch.connection
    let ended = Recorder<Bool>()
    let first = fixture.loop.spawn {
      _ = try? await connection.updateFirmware([image])
      ended.note(true)
    }
    fixture.run(until: { fixture.tag.firmware.running != nil })
    first.cancel()
    fixture.run(until: { !ended.entries.isEmpty })
    let requests = fixture.tag.journal.kinds.filter { [.dfuPrepare, .dfuWrite].contains($0) }.count
    if kind.incident == .linkLost { try fixture.happen("drop link") }
    let outcome = update(image)
    let isInstalled = [.none, .linkLost, .responseLost].contains(kind.incident)
    if isInstalled {
      #expect(try outcome.get().map(\.outcome) == [.alreadyInstalled])
      #expect(fixture.tag.journal.kinds.filter { [.dfuPrepare, .dfuWrite].contains($0) }.count == requests)
    }
    #expect(fixture.tag.violations == [])
  }

  /// An installation of which the next connection knows nothing, as if another program had begun it.
  private func abandonInstallation(of image: FirmwareImage) throws -> ConnectionWatch {
    let connection = watch.connection
    fixture.loop.spawn { _ = try? await connection.updateFirmware([image]) }
    #expect(fixture.run(until: { fixture.tag.firmware.running != nil }))
    connection.end(.disconnected)
    #expect(fixture.run(until: { watch.hasEnded }))
    return try fixture.connected()
  }

  private func update(_ image: FirmwareImage, by watch: ConnectionWatch) -> Result<[UpdateResult], any Error> {
    fixture.outcome { try await watch.connection.updateFirmware([image]) }
  }

  @Test(
    "of an installation that an ended connection has begun is awaited, without a second execute request",
    arguments: Kind.all.filter { $0.incident == .none && $0.time == .seconds(3) }, [false, true])
  func ofEndedConnection(_ kind: Kind, _ isGear: Bool) throws {
    try prepare(kind)
    try fixture.happen("flash-time 12s")
    let image = isGear ? try FirmwareTests.gear() : try FirmwareTests.image(bytes: FirmwareTests.short)
    let next = try abandonInstallation(of: image)
    try #require(fixture.tag.firmware.running != nil)
    let first = update(image, by: next)
    #expect(fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count == 1)
    #expect(fixture.tag.violations == [])
    // "Busy" for longer than the library repeats a request is an answer. Busy gear does not report its version either.
    let isRefused = isGear || kind.flashing == "flashing busy" || kind.removal == "image-removal execute"
    if isRefused { #expect(code(first) == .tagStatus) } else { #expect(code(first) == nil) }
    fixture.run(until: { fixture.tag.firmware.running == nil && next.isConnected })
    fixture.stepped.pass(.seconds(5))
    #expect(try update(image, by: next).get().map(\.outcome) == [.alreadyInstalled])
    #expect(fixture.tag.journal.executions == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "of one component does not depend on an installation of the other that an ended connection has begun",
    arguments: Kind.all.filter { $0.incident == .none }, [false, true])
  func ofOtherComponent(_ kind: Kind, _ isGear: Bool) throws {
    try prepare(kind)
    let images = [try FirmwareTests.image(bytes: FirmwareTests.short), try FirmwareTests.gear()]
    let next = try abandonInstallation(of: images[isGear ? 1 : 0])
    #expect(code(update(images[isGear ? 0 : 1], by: next)) == nil)
    #expect(fixture.tag.journal.executions == 2)
    #expect(fixture.tag.violations == [])
  }

  @Test("of an image that another connection has only transferred is known, after the time of an installation")
  func transferredBefore() throws {
    var options = UpdateOptions()
    options.mode = .transfer
    let image = try FirmwareTests.image(bytes: FirmwareTests.short)
    let connection = watch.connection
    let chosen = options
    #expect(
      try fixture.outcome { try await connection.updateFirmware([image], chosen) }.get()[0].outcome == .transferred)
    connection.end(.disconnected)
    #expect(fixture.run(until: { watch.hasEnded }))
    let next = try fixture.connected()
    let began = fixture.loop.now
    let blocks = fixture.tag.journal.blocks.count
    #expect(try update(image, by: next).get().map(\.outcome) == [.installed])
    #expect(began.duration(to: fixture.loop.now) > Deadlines().firmwareExecution)
    #expect(fixture.tag.journal.blocks.count == blocks)
    #expect(fixture.tag.violations == [])
  }
}

extension WorldFixture {
  /// Acts as soon as the condition holds. Nothing reports it, so it is checked in every millisecond of virtual time.
  fileprivate func when(_ condition: @escaping () -> Bool, _ action: @escaping () -> Void) {
    guard !condition() else { return action() }
    loop.schedule(after: .milliseconds(1)) { [weak self] in self?.when(condition, action) }
  }
}
