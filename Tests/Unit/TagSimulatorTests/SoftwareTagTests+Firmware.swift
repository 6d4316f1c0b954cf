import JacquardWire
import Testing
import TestWorld
import WireFormat

@testable import TagSimulator

extension SoftwareTagTests {
  // MARK: - Firmware

  func store(
    _ image: [UInt8], _ fixture: SoftwareTagFixture, vendor: UInt32, product: UInt32, component: UInt32 = 0
  ) throws {
    #expect(
      try ask(fixture, 1, 2) {
        $0.dfuPrepare.component = component
        $0.dfuPrepare.finalSize = UInt32(image.count)
        $0.dfuPrepare.finalCrc = UInt32(Checksum.crc16(image))
        $0.dfuPrepare.vendorID = vendor
        $0.dfuPrepare.productID = product
      }?.status == 0)
    for offset in stride(from: 0, to: image.count, by: 128) {
      let response = try #require(
        try ask(fixture, 1, 3) {
          $0.dfuWrite.offset = UInt32(offset)
          $0.dfuWrite.data = Array(image[offset..<min(offset + 128, image.count)])
        })
      #expect(response.dfuWrite.offset == UInt32(min(offset + 128, image.count)))
    }
  }

  func execute(_ fixture: SoftwareTagFixture, vendor: UInt32, product: UInt32) throws -> UInt32? {
    try ask(fixture, 1, 4) {
      $0.dfuExecute.vendorID = vendor
      $0.dfuExecute.productID = product
      $0.dfuExecute.updateSched = .updateNow
    }?.status
  }

  @Test("flashes itself, reboots and comes back with the new version") func updateTag() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.tag.firmware.nextVersion = Version(1, 97, 3)
    let image = (0..<300).map { UInt8($0 & 0xff) }
    try store(image, fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 0)
    fixture.time.advance(by: .seconds(2))
    #expect(fixture.drops == 1)
    #expect(!fixture.tag.isAdvertising)
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.tag.isAdvertising)
    #expect(fixture.tag.profile.firmware == Version(1, 97, 3))
    #expect(fixture.tag.journal.installed == [image])
    #expect(fixture.breaches.isEmpty)
  }

  @Test("keeps transferred data after a lost link, and reports the progress") func resumeUpdate() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    let image = [UInt8](repeating: 0xff, count: 128)
    try store(image, fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    fixture.tag.linkDown()
    fixture.setUp()
    let status = try #require(
      try ask(fixture, 1, 1) {
        $0.dfuStatus.vendorID = 0x1178_30c8
        $0.dfuStatus.productID = 0x283b_e7a0
      })
    #expect(status.dfuStatus.currentSize == 128)
    #expect(status.dfuStatus.currentCrc == 0xeda9)
  }

  @Test("flashes gear, and reports it") func updateGear() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[2], component: 101))
    fixture.setUp()
    let gear = Gear.known[2]
    try store([1, 2, 3], fixture, vendor: gear.vendorID, product: gear.productID, component: 101)
    #expect(try execute(fixture, vendor: gear.vendorID, product: gear.productID) == 0)
    fixture.time.advance(by: .seconds(2))
    let notice = try #require(try notifications(fixture).first?.dfuExecuteUpdateNotif)
    #expect(notice.status == 0 && notice.productID == gear.productID && notice.firmwareMinor == 3)
    #expect(fixture.tag.isConnected)
  }

  @Test("installs a module with its last byte") func installModule() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.module(false))
    #expect(try ask(fixture, 0, 20)?.listModules.modules.isEmpty == true)
    try store([9, 9, 9], fixture, vendor: 0x1178_30c8, product: 0xef3e_5b88)
    #expect(try ask(fixture, 0, 20)?.listModules.modules.map(\.moduleID) == [0x3d0b_e753])
  }

  @Test("does not flash with an empty battery, a wrong checksum, or an image for another component")
  func updateRefused()
    throws
  {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.battery(9, charging: nil))
    try store([1], fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 3)
    #expect(try execute(fixture, vendor: 1, product: 2) == 6)
    try ask(fixture, 1, 2) {
      $0.dfuPrepare.component = 0
      $0.dfuPrepare.finalSize = 1
      $0.dfuPrepare.finalCrc = 0xbad
      $0.dfuPrepare.vendorID = 0x1178_30c8
      $0.dfuPrepare.productID = 0x283b_e7a0
    }
    try ask(fixture, 1, 3) {
      $0.dfuWrite.offset = 0
      $0.dfuWrite.data = [1]
    }
    #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 9)
    #expect(fixture.breaches.isEmpty)
  }
}
