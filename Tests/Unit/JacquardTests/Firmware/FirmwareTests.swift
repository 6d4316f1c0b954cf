import DBus
import EventLoop
import Glibc
import JacquardWire
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

@Suite("Firmware updates")
struct FirmwareTests {
  private let fixture: WorldFixture
  private let watch: ConnectionWatch

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
    fixture.tag.profile.sleepAfter = .seconds(100_000)
  }

  static let bytes: [UInt8] = (0..<40 * 128 - 17).map { UInt8(truncatingIfNeeded: $0 &* 131 ^ $0 >> 5) }
  static let short = Array(bytes[..<(6 * 128 - 1)])
  private static let tagVendor = PartID(rawValue: 0x1178_30c8)
  private static let tagProduct = PartID(rawValue: 0x283b_e7a0)

  static func image(
    _ version: String = "1.97.0", vendor: UInt32 = 0x1178_30c8, product: UInt32 = 0x283b_e7a0, module: UInt32? = nil,
    bytes: [UInt8] = Self.bytes
  ) throws -> FirmwareImage {
    try FirmwareImage(
      bytes,
      .init(
        vendor: PartID(rawValue: vendor), product: PartID(rawValue: product), module: module.map(PartID.init),
        version: try #require(TagInfo.Version(version))))
  }

  static func module(_ version: String = "0.18.0") throws -> FirmwareImage {
    try image(
      version, vendor: TagModule.motion.vendorID, product: TagModule.motion.productID, module: TagModule.motion.moduleID
    )
  }

  static func gear(_ version: String = "1.3.0") throws -> FirmwareImage {
    try image(version, vendor: 0x74a8_ce54, product: 0x8a66_50f4)
  }

  private func update(
    _ images: FirmwareImage..., options: UpdateOptions = UpdateOptions(),
    report: @escaping (UpdateProgress) -> Void = { _ in }
  ) -> Result<[UpdateResult], any Error> {
    let connection = watch.connection
    return fixture.outcome { try await connection.updateFirmware(images, options, report: report) }
  }

  private var dfuRequests: [RequestKind] {
    fixture.tag.journal.kinds.filter { [.dfuPrepare, .dfuWrite, .dfuExecute].contains($0) }
  }

  private func message(_ result: Result<some Any, any Error>) -> String {
    if case .failure(let error as JacquardError) = result { error.message } else { "" }
  }

  // MARK: Success

  @Test("transfers, installs and verifies an image of the tag") func installs() throws {
    let phases = Recorder<UpdateProgress>()
    let results = try update(try Self.image()) { phases.note($0) }.get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(results[0].before.description == "1.96.0" && results[0].after.description == "1.97.0")
    #expect(fixture.tag.journal.installed == [Self.bytes])
    #expect(fixture.tag.journal.executions == 1)
    #expect(fixture.tag.journal.blocks == Array(stride(from: 0, to: Self.bytes.count, by: 128)))
    let order = phases.entries.map(\.phase).reduce(into: [UpdateProgress.Phase]()) {
      if $0.last != $1 { $0.append($1) }
    }
    #expect(order == [.checking, .transferring, .executing, .restarting])
    #expect(phases.entries.contains { $0.done == $0.total && $0.total == Self.bytes.count })
    #expect(fixture.tag.violations == [])
  }

  @Test("a version that is installed is a success without a write") func alreadyInstalled() throws {
    let results = try update(try Self.image("1.96.0")).get()
    #expect(results.map(\.outcome) == [.alreadyInstalled])
    #expect(dfuRequests == [])
  }

  @Test("gear is updated, and keeps the link") func gear() throws {
    try fixture.happen("gear attach levis-trucker")
    let results = try update(try Self.gear()).get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.installed == [Self.bytes])
    #expect(fixture.tag.journal.links == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("a module is unloaded, installed with its last byte, and loaded again") func module() throws {
    try fixture.outcome { [watch] in try await watch.connection.currentTag().prepareMotion() }.get()
    let results = try update(try Self.module()).get()
    #expect(results.map(\.outcome) == [.installed])
    #expect(results[0].before.description == "0.17.0")
    #expect(fixture.tag.modules.isMotionEnabled)
    #expect(fixture.tag.journal.executions == 0)
    #expect(fixture.tag.violations == [])
  }

  @Test("several images are installed in the order gear, tag, modules") func order() throws {
    try fixture.happen("gear attach levis-trucker")
    try fixture.outcome { [watch] in try await watch.connection.currentTag().prepareMotion() }.get()
    let order = Recorder<Int>()
    let results = try update(
      try Self.module(), try Self.image(), try Self.gear()
    ) { if $0.phase == .transferring, order.entries.last != $0.image { order.note($0.image) } }.get()
    #expect(results.map(\.outcome) == [.installed, .installed, .installed])
    #expect(order.entries == [2, 1, 0])
    #expect(fixture.tag.modules.isMotionEnabled)
    #expect(fixture.tag.violations == [])
  }

  @Test("a dry run only asks, and says how much is stored") func dryRun() throws {
    var options = UpdateOptions()
    options.mode = .check
    let image = try Self.image()
    #expect(try update(image, options: options).get().map(\.stored) == [0])
    #expect(dfuRequests == [])
    fixture.tag.firmware.images[.init(vendorID: 0x1178_30c8, productID: 0x283b_e7a0)] = {
      var stored = FirmwareStore.Image(finalSize: UInt32(Self.bytes.count), finalCRC: UInt32(image.checksum))
      stored.append(Self.bytes[..<1000])
      return stored
    }()
    #expect(try update(image, options: options).get().map(\.stored) == [1000])
    #expect(dfuRequests == [])
  }

  @Test("a transfer without installation is finished by the next update") func transferOnly() throws {
    var options = UpdateOptions()
    options.mode = .transfer
    let image = try Self.image()
    #expect(try update(image, try Self.module(), options: options).get().map(\.outcome) == [.transferred, .pending])
    #expect(fixture.tag.journal.executions == 0)
    #expect(fixture.tag.profile.firmware == Version(1, 96, 0))
    let blocks = fixture.tag.journal.blocks.count
    let began = fixture.loop.now
    #expect(try update(image).get().map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.blocks.count == blocks)
    #expect(began.duration(to: fixture.loop.now) < .seconds(30))
  }

  // MARK: Interruptions

  enum Interruption: String, CaseIterable {
    case linkLost, responseLost, hostKilled, bluetoothdKilled, busKilled, tagRebooted
  }

  @Test("continues after an interruption at every block", arguments: Interruption.allCases)
  func interrupted(_ interruption: Interruption) throws {
    var connection = watch.connection
    var manager: Manager? = fixture.manager
    for boundary in 0...40 {
      let image = try Self.image("1.\(97 + boundary).0")
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
      #expect(fixture.tag.profile.firmware == Version(1, UInt32(97 + boundary), 0), "\(boundary)")
      #expect(fixture.tag.violations == [], "\(boundary)")
    }
  }

  private static func happen(_ interruption: Interruption, _ fixture: WorldFixture) {
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

  @Test("asks for the status when the execute request gets no response, and does not send it twice")
  func unansweredExecute() throws {
    try fixture.happen("on request dfu-execute once: drop")
    try fixture.happen("flash-time 20s")
    let outcome = update(try Self.image())
    #expect(code(outcome) == .notInstalled)
    #expect(fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count == 1)
    #expect(fixture.tag.profile.firmware == Version(1, 96, 0))
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

  @Test("cancelling during any request before execute installs nothing, and the next update continues")
  func cancelledAnywhere() throws {
    let connection = watch.connection
    let tag = fixture.tag
    try fixture.happen("latency 20ms")
    for number in 0..<80 {
      try fixture.outcome { try await connection.currentTag().prepareMotion() }.get()
      let image = try Self.image("1.\(97 + number).0", bytes: Self.short)
      let (requests, blocks, executions) = (
        tag.journal.kinds.count, tag.journal.blocks.count, tag.journal.kinds.filter { $0 == .dfuExecute }.count
      )
      let ended = Recorder<Result<[UpdateResult], any Error>>()
      let task = fixture.loop.spawn {
        do { ended.note(.success(try await connection.updateFirmware([image]))) } catch { ended.note(.failure(error)) }
      }
      fixture.run(until: { tag.journal.kinds.count >= requests + number || !ended.entries.isEmpty })
      let isExecuteSent = tag.journal.kinds.filter { $0 == .dfuExecute }.count > executions
      task.cancel()
      fixture.run(until: { !ended.entries.isEmpty })
      fixture.stepped.pass(.seconds(1))
      if isExecuteSent {
        #expect(number > 15)
        break
      }
      #expect(code(try #require(ended.entries.first)) == .closed, "\(number)")
      #expect(tag.journal.kinds.filter { $0 == .dfuExecute }.count == executions, "\(number)")
      #expect(tag.modules.isMotionEnabled, "\(number)")
      #expect(try update(image).get().map(\.outcome) == [.installed], "\(number)")
      #expect(tag.journal.blocks.count - blocks <= 7, "\(number)")
      #expect(tag.violations == [], "\(number)")
    }
  }

  @Test("a module that is loaded during any request of an update is refused, or unloaded and loaded again")
  func modulesMeanwhile() throws {
    let connection = watch.connection
    let tag = fixture.tag
    try fixture.happen("latency 20ms")
    let module = try fixture.outcome { try #require(try await connection.currentTag().modules().first) }.get()
    for number in 0..<20 {
      let image = try Self.image("1.\(97 + number).0", bytes: Self.short)
      let requests = tag.journal.kinds.count
      let ended = Recorder<[UpdateResult]?>()
      let loaded = Recorder<JacquardError.Code?>()
      fixture.loop.spawn { ended.note(try? await connection.updateFirmware([image])) }
      fixture.run(until: { tag.journal.kinds.count >= requests + number || !ended.entries.isEmpty })
      fixture.loop.spawn {
        do throws(JacquardError) {
          try await connection.currentTag().load(module)
          loaded.note(nil)
        } catch {
          loaded.note(error.code)
        }
      }
      fixture.run(until: { !ended.entries.isEmpty && !loaded.entries.isEmpty })
      fixture.stepped.pass(.seconds(1))
      #expect(ended.entries.first??.map(\.outcome) == [.installed], "\(number)")
      #expect(tag.violations == [], "\(number)")
      if loaded.entries == [nil] { #expect(tag.modules.isMotionEnabled, "\(number)") }
      try fixture.outcome {
        let tag = try await connection.currentTag()
        for module in try await tag.modules() where module.isEnabled { try await tag.unload(module) }
      }.get()
    }
  }

  @Test("gear is first even if the link is lost at the end of the checks") func orderOverLinks() throws {
    try fixture.happen("gear attach levis-trucker")
    try fixture.happen("on request battery once: disconnect")
    let order = Recorder<Int>()
    let results = try update(try Self.image(), try Self.gear()) {
      if $0.phase == .transferring, order.entries.last != $0.image { order.note($0.image) }
    }.get()
    #expect(results.map(\.outcome) == [.installed, .installed])
    #expect(order.entries == [1, 0])
  }

  @Test("the execute request is not repeated after \"busy\" on a link that is then lost", arguments: [true, false])
  func busyAndLost(_ isGear: Bool) throws {
    try fixture.happen("gear attach levis-trucker")
    let image = isGear ? try Self.gear() : try Self.image()
    for milliseconds in stride(from: 0, to: 60, by: 5) {
      try fixture.happen("on request dfu-execute once: status 10")
      let before = fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count
      let outcome = update(image) { [fixture] in
        guard $0.phase == .executing else { return }
        fixture.loop.schedule(after: .milliseconds(milliseconds)) { _ = try? fixture.world.control("drop link") }
      }
      let sent = fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count - before
      if sent == 0 || fixture.tag.journal.installed.isEmpty { #expect(code(outcome) != nil) }
      #expect(sent <= 1)
      try fixture.happen("heed")
      guard fixture.tag.journal.installed.isEmpty else { break }
    }
  }

  @Test("a module that the tag lists only after a moment is installed") func lateModule() throws {
    let results = try update(try Self.module()) { [fixture] in
      guard $0.done == $0.total, $0.total > 0 else { return }
      let new = fixture.tag.modules.modules
      fixture.tag.modules.modules = [.motion]
      fixture.loop.schedule(after: .seconds(1)) { fixture.tag.modules.modules = new }
    }.get()
    #expect(results.map(\.outcome) == [.installed])
  }

  // MARK: Failures of the tag

  @Test(
    "a tag that returns with another version is a failed update", arguments: ["1.96.0", "0.0.0", "1.95.0", "1.0.5"])
  func otherVersion(_ version: String) throws {
    try fixture.happen("next-firmware \(version)")
    let outcome = update(try Self.image())
    #expect(code(outcome) == .notInstalled)
    #expect(message(outcome).contains(version))
  }

  @Test("an image that fails verification is reported, before or after the restart") func verification() throws {
    try fixture.happen("verification refused")
    let refused = update(try Self.image())
    #expect(code(refused) == .tagStatus)
    try fixture.happen("verification reverted")
    let reverted = update(try Self.image())
    #expect(code(reverted) == .notInstalled)
    #expect(message(reverted).contains("old version 1.96.0, and has discarded"))
    #expect(fixture.tag.journal.installed == [])
  }

  @Test("a tag that does not return is reported") func absent() throws {
    let outcome = update(try Self.image()) { [fixture] in
      if $0.phase == .restarting {
        fixture.loop.schedule(after: .seconds(1)) { _ = try? fixture.world.control("out-of-range") }
      }
    }
    #expect(code(outcome) == .notInstalled)
    #expect(message(outcome).contains("not returned"))
  }

  @Test("other services after the restart work, with writes without response") func otherServices() throws {
    try fixture.happen("next-firmware 1.40.0")
    var options = UpdateOptions()
    options.allowsDowngrade = true
    #expect(try update(try Self.image("1.40.0"), options: options).get().map(\.outcome) == [.installed])
    try fixture.happen("next-firmware 1.97.0")
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
    #expect(fixture.tag.violations.allSatisfy { $0.kind == .writeTypeNotOffered })
  }

  @Test(
    "gear that reports for other gear or not at all is judged by its version, and fails if it reports a failure",
    arguments: ["status 8", "foreign", "never"])
  func gearReports(_ report: String) throws {
    try fixture.happen("gear attach levis-trucker")
    try fixture.happen("gear-report \(report)")
    let outcome = update(try Self.gear())
    #expect(code(outcome) == (report == "status 8" ? .notInstalled : nil))
    #expect(fixture.tag.journal.executions == 1)
  }

  @Test("gear that is detached during its update stops it", arguments: [UpdateProgress.Phase.transferring, .executing])
  func gearDetached(_ phase: UpdateProgress.Phase) throws {
    try fixture.happen("gear attach levis-trucker")
    let outcome = update(try Self.gear()) { [fixture] in
      if $0.phase == phase, phase == .executing || $0.done == 1280 {
        fixture.loop.schedule(after: phase == .executing ? .seconds(1) : .zero) {
          _ = try? fixture.world.control("gear detach")
        }
      }
    }
    #expect(code(outcome) == (phase == .executing ? .notInstalled : .gearMissing))
  }

  @Test("a corrupted block is detected, the last one included", arguments: [0, 20, 39]) func corrupted(_ block: Int)
    throws
  {
    let outcome = update(try Self.image()) { [fixture] progress in
      if progress.phase == .transferring, progress.done == block * 128 {
        fixture.tag.firmware.corruptNext = true
      }
    }
    #expect(code(outcome) == .damagedFirmware)
    #expect(fixture.tag.journal.executions == 0)
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.installed == [Self.bytes])
  }

  @Test("a slow flash and a battery that drains below the limit: the image stays, and is not executed") func drains()
    throws
  {
    try fixture.happen("write-time 500ms")
    try fixture.happen("battery 25")
    try fixture.happen("drain 4")
    let outcome = update(try Self.image())
    #expect(code(outcome) == .lowBattery)
    #expect(fixture.tag.journal.executions == 0)
    try fixture.happen("battery 40 charging")
    try fixture.happen("drain off")
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
    #expect(fixture.tag.journal.blocks.count == 40)
  }

  // MARK: Refusals

  private func refused(
    _ expected: JacquardError.Code, _ image: FirmwareImage, _ options: UpdateOptions = UpdateOptions()
  ) {
    for mode in UpdateOptions.Mode.allCases {
      var options = options
      options.mode = mode
      let outcome = update(image, options: options)
      #expect(code(outcome) == expected, "\(mode)")
      if case .failure(let error as JacquardError) = outcome { #expect(!error.advice.isEmpty) }
    }
    #expect(dfuRequests == [], "nothing was written")
    #expect(!fixture.tag.journal.kinds.contains(.unloadModule))
    #expect(fixture.tag.violations == [])
  }

  @Test("refuses empty and oversized images") func badImage() throws {
    for bytes in [[], [UInt8](repeating: 0, count: FirmwareImage.mostBytes + 1)] {
      do throws(JacquardError) {
        _ = try FirmwareImage(
          bytes, .init(vendor: Self.tagVendor, product: Self.tagProduct, version: .init(major: 1, minor: 0, point: 0)))
        Issue.record("accepted")
      } catch {
        #expect(error.code == .firmwareImage)
      }
    }
  }

  @Test("refuses an image for another product") func otherProduct() throws {
    refused(.wrongProduct, try Self.image(vendor: 1, product: 2))
    refused(.wrongProduct, try Self.image(vendor: 1, product: 2, module: 3))
    refused(.wrongProduct, try Self.image(vendor: 0x1178_30c8, product: 3, module: 3))
    for status in [2, 6] {
      try fixture.happen("on request dfu-status: status \(status)")
      refused(.wrongProduct, try Self.image(vendor: 0x1178_30c8, product: 3, module: 3))
      try fixture.happen("heed")
    }
  }

  @Test("refuses a battery below 20 %, unless the tag charges, and always one below 10 %") func battery() throws {
    try fixture.happen("battery 19")
    refused(.lowBattery, try Self.image())
    try fixture.happen("battery 9 charging")
    refused(.lowBattery, try Self.image())
    var options = UpdateOptions()
    options.leastBattery = 90
    try fixture.happen("battery 89 discharging")
    refused(.lowBattery, try Self.image(), options)
    try fixture.happen("battery 19 charging")
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
  }

  @Test("refuses gear that is missing or other gear") func otherGear() throws {
    refused(.gearMissing, try Self.gear())
    try fixture.happen("gear attach patch-a0")
    refused(.gearMissing, try Self.gear())
  }

  @Test("refuses while the tag records, and a recording continues") func recording() throws {
    try fixture.outcome { [watch] in
      let tag = try await watch.connection.currentTag()
      try await tag.prepareMotion()
      try await tag.startRecording(RecordingLabels(session: "a"), try MotionSettings())
    }.get()
    refused(.captureInProgress, try Self.image())
    #expect(fixture.tag.recorder.run != nil)
  }

  @Test("refuses while the tag streams motion") func streaming() throws {
    let connection = watch.connection
    let samples = Recorder<Bool>()
    fixture.loop.spawn { _ = try? await connection.stream(try MotionSettings()) { _ in samples.note(true) } }
    fixture.run(until: { !samples.entries.isEmpty })
    refused(.captureInProgress, try Self.image())
  }

  @Test("refuses a second update, and modules, during an update") func busy() throws {
    let image = try Self.image()
    let second = Recorder<JacquardError.Code?>()
    _ = try update(image) { [fixture, watch] in
      guard $0.phase == .transferring, $0.done == 1280 else { return }
      fixture.loop.spawn {
        do throws(JacquardError) {
          _ = try await watch.connection.updateFirmware([image])
          second.note(nil)
        } catch { second.note(error.code) }
      }
      fixture.loop.spawn {
        do throws(JacquardError) {
          try await watch.connection.currentTag().prepareMotion()
          second.note(nil)
        } catch { second.note(error.code) }
      }
      fixture.loop.spawn {
        do throws(JacquardError) {
          _ = try await watch.connection.currentTag().sessions()
          second.note(nil)
        } catch { second.note(error.code) }
      }
    }.get()
    #expect(second.entries == [.updateInProgress, .updateInProgress, .updateInProgress])
    #expect(fixture.tag.violations == [])
  }

  @Test("refuses to overwrite a part of another image, unless forced") func otherImage() throws {
    fixture.tag.firmware.images[.init(vendorID: 0x1178_30c8, productID: 0x283b_e7a0)] = {
      var image = FirmwareStore.Image(finalSize: 1000, finalCRC: 7)
      image.append([1, 2, 3])
      return image
    }()
    refused(.otherImage, try Self.image())
    var options = UpdateOptions()
    options.overwrites = true
    #expect(try update(try Self.image(), options: options).get().map(\.outcome) == [.installed])
  }

  @Test("refuses an older version, unless forced") func downgrade() throws {
    refused(.downgrade, try Self.image("1.95.9"))
    try fixture.happen("next-firmware 1.95.9")
    var options = UpdateOptions()
    options.allowsDowngrade = true
    #expect(try update(try Self.image("1.95.9"), options: options).get().map(\.outcome) == [.installed])
  }

  // MARK: The machine

  @Test("the machine is kept awake from the first write to the end of the update, where there is logind") func awake()
    throws
  {
    let service = BusConnection(fixture.loop, try fixture.stepped.address)
    let held = Recorder<SharedDescriptor>()
    let ends = Recorder<Bool>()
    let export = try fixture.outcome { () async throws -> Export in
      try await service.open()
      let export = try service.export("/org/freedesktop/login1") { call in
        ends.note(call.body().first == .string("sleep") && call.body().last == .string("block"))
        var both: [CInt] = [-1, -1]
        guard pipe(&both) == 0, fcntl(both[0], F_SETFL, O_NONBLOCK) == 0 else { return }
        held.note(SharedDescriptor(taking: both[0]))
        let writing = SharedDescriptor(taking: both[1])
        try? call.reply(.descriptor(writing))
        writing.close()
      }
      try await service.requestName("org.freedesktop.login1")
      return export
    }.get()
    defer {
      export.cancel()
      service.close()
    }
    var options = UpdateOptions()
    options.mode = .check
    _ = try update(try Self.image(), options: options).get()
    #expect(ends.entries == [])
    #expect(try update(try Self.image()).get().map(\.outcome) == [.installed])
    #expect(ends.entries == [true])
    fixture.settle()
    var byte: UInt8 = 0
    let reading = try #require(held.entries.first)
    #expect(read(reading.rawValue, &byte, 1) == 0, "the inhibitor was released")
  }

  @Test("two tags are updated at once, beside a touch stream of a third") func twoTags() throws {
    let fixture = try WorldFixture(tags: 3)
    let connections = try fixture.world.tags.map { tag in
      ConnectionWatch(try fixture.manager.connect(TagIdentifier(address: tag.profile.address)))
    }
    fixture.run(until: { connections.allSatisfy(\.isConnected) })
    try fixture.happen("tag 3 gear attach levis-trucker")
    fixture.run(until: { (connections[2].connection.gear.gear ?? nil) != nil })
    let gear = try #require(connections[2].connection.gear.gear ?? nil)
    try fixture.outcome { try await gear.setTouchMode(.continuous) }.get()
    var touches = 0
    connections[2].connection.notifications.touches.add { _ in touches += 1 }
    try fixture.happen("tag 3 every 20ms touch sweep for 2s")
    try fixture.happen("write-time 10ms")
    let ended = Recorder<UpdateResult.Outcome?>()
    let image = try Self.image()
    for watch in connections[..<2] {
      fixture.loop.spawn { ended.note(try? await watch.connection.updateFirmware([image]).first?.outcome) }
    }
    fixture.run(until: { ended.entries.count == 2 })
    #expect(ended.entries == [.installed, .installed])
    #expect(touches > 20)
    for tag in fixture.world.tags { #expect(tag.violations == []) }
    #expect(fixture.world.tags.map(\.journal.installed) == [[Self.bytes], [Self.bytes], []])
  }

  @Test("firmware that is known to be faulty is flagged and logged, and connects", arguments: ["1.0.6", "1.1.0"])
  func faulty(_ version: String) throws {
    let fixture = try WorldFixture()
    try fixture.happen("firmware \(version)")
    let watch = try fixture.connected()
    #expect(watch.tag?.info.hasFaultyFirmware == true)
    #expect(fixture.log.entries.contains { $0.hasPrefix("warning") && $0.contains("firmware \(version)") })
  }
}
