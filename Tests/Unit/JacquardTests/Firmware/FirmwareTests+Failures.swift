import DBus
import EventLoop
import Glibc
import JacquardWire
import Testing
import TestWorld

@testable import Jacquard
@testable import TagSimulator

extension FirmwareTests {
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

  func refused(
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
}
