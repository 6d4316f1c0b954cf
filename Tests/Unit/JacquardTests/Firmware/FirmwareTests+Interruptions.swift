import DBus
import EventLoop
import Glibc
import JacquardWire
import Testing
import TestWorld

@testable import Jacquard
@testable import TagSimulator

extension FirmwareTests {
  // MARK: Interruptions

  enum Interruption: String, CaseIterable {
    case linkLost, responseLost, hostKilled, bluetoothdKilled, busKilled, tagRebooted
  }

  /// The number of blocks before which updates are interrupted. `Tests/Support/long firmware` sets all 41.
  private static let interruptedBlocks = getenv("FIRMWARE_BLOCKS").flatMap { Int(String(cString: $0)) } ?? 7

  @Test("continues after an interruption at any block", arguments: Interruption.allCases)
  func interrupted(_ interruption: Interruption) throws {
    var connection = watch.connection
    var manager: Manager? = fixture.manager
    for number in 0..<Self.interruptedBlocks {
      let boundary = number * 40 / (Self.interruptedBlocks - 1)
      let image = try Self.image("1.\(97 + number).0")
      let before = (
        fixture.tag.journal.blocks.count, fixture.tag.journal.executions, fixture.tag.journal.installed.count
      )
      var isInterrupted = false
      let ended = Recorder<Result<[UpdateResult], any Error>>()
      fixture.loop.spawn { [fixture, connection] in
        do {
          let results = try await connection.updateFirmware([image]) { progress in
            guard !isInterrupted, progress.phase == .transferring,
              progress.done == min(boundary * 128, Self.bytes.count)
            else { return }
            isInterrupted = true
            // Before the next block is written.
            if interruption == .busKilled { return fixture.stepped.killBus() }
            fixture.loop.postHere { Self.happen(interruption, fixture) }
          }
          ended.note(.success(results))
        } catch {
          ended.note(.failure(error))
        }
      }
      let isStopped = [.hostKilled, .busKilled].contains(interruption)
      fixture.run(until: { !ended.entries.isEmpty || isStopped && isInterrupted })
      if interruption == .busKilled {
        fixture.stepped.pass(.seconds(2))
        fixture.daemon.kill()
        try fixture.stepped.startBus()
        try fixture.startDaemon()
        fixture.run(until: { !ended.entries.isEmpty })
      }
      if interruption == .hostKilled {
        fixture.settle()
        manager?.close()
        fixture.run(until: { !ended.entries.isEmpty })
        manager = try fixture.anotherManager()
        let next = ConnectionWatch(try #require(manager).connect(WorldFixture.identifier))
        fixture.run(until: { next.isConnected })
        connection = next.connection
        _ = try fixture.outcome { [connection] in try await connection.updateFirmware([image]) }.get()
      } else {
        _ = try #require(ended.entries.first).get()
      }
      let journal = fixture.tag.journal
      #expect(isInterrupted)
      #expect(journal.installed.count == before.2 + 1 && journal.installed.last == Self.bytes, "\(boundary)")
      #expect(journal.blocks.count - before.0 - 40 <= 1, "\(boundary)")
      #expect(journal.executions == before.1 + 1, "\(boundary)")
      #expect(fixture.tag.profile.firmware == Version(1, UInt32(97 + number), 0), "\(boundary)")
      #expect(fixture.tag.violations == [], "\(boundary)")
    }
  }

  static func happen(_ interruption: Interruption, _ fixture: WorldFixture) {
    let line =
      switch interruption {
      case .linkLost: "drop link"
      case .responseLost: "on request dfu-write once: disconnect"
      case .hostKilled, .busKilled: "rssi -50"
      case .bluetoothdKilled: "bluetoothd restart after 2s"
      case .tagRebooted: "reboot"
      }
    _ = try? fixture.world.control(line)
  }

  @Test("gives up when five links in a row store nothing more than the links before") func noProgress() throws {
    let outcome = update(try Self.image()) { [fixture] in
      guard $0.phase == .transferring, $0.done == 128 else { return }
      _ = try? fixture.world.control("power-loss byte 200 forgetting 300")
    }
    #expect(code(outcome) != nil)
    #expect(fixture.tag.journal.blocks.count <= 7)
    fixture.tag.firmware.powerLoss = nil
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
    #expect(fixture.tag.violations == [])
  }

  @Test("refuses to overwrite a part that another program has stored while the link was lost, unless forced")
  func otherImageMeanwhile() throws {
    var options = UpdateOptions()
    for forced in [false, true] {
      var isLost = false
      options.overwrites = forced
      let outcome = update(try Self.image(), options: options) { [fixture] in
        guard $0.phase == .transferring, $0.done == 1280, !isLost else { return }
        isLost = true
        fixture.loop.postHere {
          _ = try? fixture.world.control("drop link")
          fixture.tag.firmware.images[.init(vendorID: 0x1178_30c8, productID: 0x283b_e7a0)] = {
            var image = FirmwareStore.Image(finalSize: 1000, finalCRC: 7)
            image.append([1, 2, 3])
            return image
          }()
        }
      }
      #expect(code(outcome) == (forced ? nil : .otherImage))
    }
    #expect(fixture.tag.journal.installed == [Self.bytes])
    #expect(fixture.tag.violations == [])
  }

  @Test("continues at any byte after a power failure, also if the last bytes were lost", arguments: [0, 7, 300])
  func powerFailure(_ forgotten: Int) throws {
    for (number, byte) in [0, 1, 127, 128, 129, 1000, 5119 - 17, 5120 - 18].enumerated() {
      try fixture.happen("power-loss byte \(byte) forgetting \(forgotten)")
      #expect(try update(try Self.image("1.\(97 + number).0")).get().map(\.outcome) == [.installed])
      #expect(fixture.tag.journal.reboots == 2 * (number + 1))
      #expect(fixture.tag.journal.installed == Array(repeating: Self.bytes, count: number + 1))
      #expect(fixture.tag.violations == [])
    }
  }

  @Test("a power failure at any step of the swap ends with the new version or is reported", arguments: 1...6)
  func swapFailure(_ step: Int) throws {
    try fixture.happen("power-loss step \(step)")
    let image = try Self.image()
    let first = update(image)
    if (3...5).contains(step) {
      #expect(try first.get().map(\.outcome) == [.installed])
    } else {
      #expect(code(first) == .notInstalled)
      #expect(message(first).contains("old version 1.96.0"))
      let blocks = fixture.tag.journal.blocks.count
      #expect(try update(image).get().map(\.outcome) == [.installed])
      #expect(fixture.tag.journal.blocks.count == (step == 6 ? blocks + 40 : blocks))
    }
    #expect(fixture.tag.journal.installed == [Self.bytes])
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "a block that the tag does not respond to is not repeated before its status is known",
    arguments: ["drop", "garbage", "without-payload", "corrupt truncated", "status 7", "status 10", "delay 9s"])
  func unanswered(_ reaction: String) throws {
    try fixture.happen("on request dfu-write 2 times: \(reaction)")
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.installed == [Self.bytes])
    #expect(fixture.tag.violations == [])
  }

  @Test("continues on the same link when bluetoothd has hung for a minute", arguments: [0, 128, 1280])
  func hang(_ bytes: Int) throws {
    try fixture.outcome { [watch] in try await watch.connection.currentTag().prepareMotion() }.get()
    var hasHung = false
    let results = try update(try Self.image()) { [fixture] in
      guard $0.phase == .transferring, $0.done == bytes, !hasHung else { return }
      hasHung = true
      fixture.loop.postHere { _ = try? fixture.world.control("bluetoothd hang for 60s") }
    }.get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.blocks == Array(stride(from: 0, to: Self.bytes.count, by: 128)))
    #expect(fixture.tag.violations == [])
  }

  @Test("an update whose execute request gets no response does not send it twice; the next one does at once")
  func unansweredExecute() throws {
    try fixture.happen("on request dfu-execute once: drop")
    try fixture.happen("flash-time 20s")
    let outcome = update(try Self.image())
    #expect(code(outcome) == .notInstalled)
    #expect(message(outcome).contains("did not respond to the request to install"))
    #expect(fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count == 1)
    #expect(fixture.tag.profile.firmware == Version(1, 96, 0))
    let began = fixture.now
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
    #expect(began.duration(to: fixture.now) < .seconds(30))
    #expect(fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count == 2)
    #expect(fixture.tag.violations == [])
  }

  @Test("a link that is lost before the restart is not mistaken for it") func lostBeforeRestart() throws {
    try fixture.happen("flash-time 30s")
    let results = try update(try Self.image()) { [fixture] in
      if $0.phase == .restarting {
        fixture.loop.schedule(after: .seconds(3)) { _ = try? fixture.world.control("drop link") }
      }
    }.get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.executions == 1)
  }

  @Test("cancelling before the installation leaves the part on the tag, and loads the modules again") func cancelled()
    throws
  {
    try fixture.outcome { [watch] in try await watch.connection.currentTag().prepareMotion() }.get()
    let connection = watch.connection
    let image = try Self.image()
    let ended = Recorder<JacquardError?>()
    var task: Task<Void, Never>?
    task = fixture.loop.spawn { [fixture] in
      do throws(JacquardError) {
        _ = try await connection.updateFirmware([image]) {
          if $0.done == 1280 { fixture.loop.postHere { task?.cancel() } }
        }
        ended.note(nil)
      } catch {
        ended.note(error)
      }
    }
    fixture.run(until: { !ended.entries.isEmpty })
    fixture.stepped.pass(.seconds(1))
    #expect(ended.entries.first??.isCancellation == true)
    #expect(fixture.tag.modules.isMotionEnabled)
    #expect(fixture.tag.journal.executions == 0)
    #expect(try update(image).get().map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.blocks.count == 40)
    #expect(fixture.tag.violations == [])
  }
}
