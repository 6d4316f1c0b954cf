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
  let fixture: WorldFixture
  let watch: ConnectionWatch

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
    fixture.tag.profile.sleepAfter = .seconds(100_000)
  }

  static let bytes: [UInt8] = (0..<40 * 128 - 17).map { UInt8(truncatingIfNeeded: $0 &* 131 ^ $0 >> 5) }
  static let short = Array(bytes[..<(6 * 128 - 1)])
  static let tagVendor = PartID(rawValue: 0x1178_30c8)
  static let tagProduct = PartID(rawValue: 0x283b_e7a0)

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

  func update(
    _ images: FirmwareImage..., options: UpdateOptions = UpdateOptions(),
    report: @escaping (UpdateProgress) -> Void = { _ in }
  ) -> Result<[UpdateResult], any Error> {
    let connection = watch.connection
    return fixture.outcome { try await connection.updateFirmware(images, options, report: report) }
  }

  var dfuRequests: [RequestKind] {
    fixture.tag.journal.kinds.filter { [.dfuPrepare, .dfuWrite, .dfuExecute].contains($0) }
  }

  func message(_ result: Result<some Any, any Error>) -> String {
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
