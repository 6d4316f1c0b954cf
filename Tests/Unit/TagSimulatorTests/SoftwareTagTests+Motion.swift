import JacquardWire
import Testing
import TestWorld
import WireFormat

@testable import TagSimulator

extension SoftwareTagTests {
  // MARK: - Motion

  func loadMotion(_ fixture: SoftwareTagFixture) {
    fixture.setUp()
    fixture.command(Example.loadModule)
    fixture.heard = []
  }

  func metadata(_ mode: UInt32) -> WireDataCollectionMetadata {
    var metadata = WireDataCollectionMetadata()
    metadata.campaignID = "c"
    metadata.sessionID = "g"
    metadata.trialID = "t"
    metadata.subjectID = "s"
    metadata.mode = mode
    metadata.productID = "p"
    return metadata
  }

  @Test("refuses recording commands before the module is loaded") func moduleNeeded() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    #expect(try ask(fixture, 9, 3) { $0.status = WireDataCollectionStatusRequest() }?.status == 1)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("records, lists, sends and erases a session") func recording() throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(1) }?.start.dcStatus == 1)
    fixture.time.advance(by: .seconds(4))
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(1) }?.start.dcStatus == 5)
    #expect(try ask(fixture, 9, 2) { $0.stop.isError = false }?.stop.dcStatus == 0)
    try ask(fixture, 9, 4) { $0.trialList = WireDataCollectionTrialListRequest() }
    let listed = try #require(try notifications(fixture).first?.trialList)
    #expect(listed.totalTrials == 1 && listed.trialIndex == 0 && listed.trial.trialID == "t")
    let sensor = listed.trial.trialData[0].sensorData[0]

    let answer = try ask(fixture, 9, 5) {
      $0.trialData.campaignID = "c"
      $0.trialData.sessionID = "g"
      $0.trialData.trialID = "t"
      $0.trialData.subjectID = "s"
      $0.trialData.productID = "p"
      $0.trialData.sensorID = 0
      $0.trialData.offset = 0
    }
    #expect(answer?.trialData.dcStatus == 2)
    var file: [UInt8] = []
    while true {
      let packets = packets(fixture, .rawData)
      guard let packet = packets.first else { break }
      #expect(packets.count == 1, "one packet waits for its acknowledgement")
      file += packet.dropFirst()
      fixture.write(hex([0xc0, 0x02, packet[0], 0x41]), to: .rawData)
    }
    #expect(file.count == Int(sensor.fsize))
    #expect(UInt32(Checksum.crc16(file)) == sensor.crc16)
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
    // 25 Hz for 4 s, in units of 16 bytes between two markers.
    #expect(
      file.suffix(16) == [0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 1, 0])
    let start = try #require(file.indices.first { file[$0...].starts(with: [0xfe, 0xca, 0xfe, 0xca]) })
    #expect((file.count - start) / 16 == 102)

    #expect(
      try ask(fixture, 9, 7) { $0.eraseAllData = WireDataCollectionEraseAllDataRequest() }?.eraseAllData.dcStatus == 3)
    fixture.time.advance(by: .milliseconds(500))
    #expect(try notifications(fixture).first?.errorNotification.errorcode == 0)
    try ask(fixture, 9, 4) { $0.trialList = WireDataCollectionTrialListRequest() }
    #expect(try notifications(fixture).first?.trialList.totalTrials == 0)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("scales its samples by the configured ranges", arguments: [0, 1, 2, 3] as [UInt32])
  func ranges(range: UInt32) throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    try ask(fixture, 0, 11) {
      $0.configWrite.imuConfig.accelRange = range
      $0.configWrite.imuConfig.gyroRange = range
    }
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(0) }?.start.dcStatus == 1)
    fixture.time.advance(by: .seconds(1))
    let text = try #require(fixture.values(.rawData).first)
    let value = try #require(bytes(hex: text))
    func number(_ index: Int) -> Double {
      Double(Int16(truncatingIfNeeded: Int(value[2 + 2 * index]) | Int(value[3 + 2 * index]) << 8)) / 32768
    }
    // The values in g and in degrees per second do not depend on the range.
    #expect(abs(number(2) * Double(2 << range) - 1.046) < 0.001)
    #expect(abs(number(0) * Double(2 << range) - 0.488) < 0.001)
    #expect(abs(number(3) * Double(125 << range) - 15.26) < 0.01)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("stores a real recording under its names") func realRecording() throws {
    let fixture = try SoftwareTagFixture()
    let path = repositoryPath("Tests/Support/data/tag-recording-1.bin")
    try fixture.tag.perform(.recording(trial: "1627944568", path: path))
    loadMotion(fixture)
    try ask(fixture, 9, 4) { $0.trialList = WireDataCollectionTrialListRequest() }
    let trial = try #require(try notifications(fixture).first?.trialList.trial)
    #expect(trial.trialID == "1627944568" && trial.campaignID == "IMU_Campaign" && trial.productID == "IMU_Product")
    #expect(trial.trialData[0].sensorData[0].fsize == 27309)
    #expect(trial.trialData[0].sensorData[0].crc16 == 0x46a2)
    #expect(throws: TagActionError("cannot read /nowhere")) {
      try fixture.tag.perform(.recording(trial: "x", path: "/nowhere"))
    }
  }

  @Test("resumes an interrupted download, and stops one on request") func resume() throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    fixture.tag.addSession(metadata(1), file: (0..<1200).map { UInt8($0 & 0xff) })
    func request(_ offset: UInt32) throws {
      try ask(fixture, 9, 5) {
        $0.trialData.campaignID = "c"
        $0.trialData.sessionID = "g"
        $0.trialData.trialID = "t"
        $0.trialData.subjectID = "s"
        $0.trialData.productID = "p"
        $0.trialData.sensorID = 0
        $0.trialData.offset = offset
      }
    }
    try request(1000)
    let packet = try #require(packets(fixture, .rawData).first)
    #expect(Array(packet.dropFirst()) == (1000..<1200).map { UInt8($0 & 0xff) })
    fixture.time.advance(by: .seconds(1))
    #expect(packets(fixture, .rawData) == [packet], "repeated with the same number")
    try ask(fixture, 9, 2) { $0.stop.isError = true }
    fixture.time.advance(by: .seconds(10))
    #expect(packets(fixture, .rawData).isEmpty)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("streams samples three at a time, in values with two leading bytes") func streaming() throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(0) }?.start.dcStatus == 1)
    fixture.time.advance(by: .milliseconds(360))
    let values = fixture.values(.rawData).compactMap { bytes(hex: $0) }
    #expect(values.map(\.count) == [50, 50, 50])
    #expect(values.allSatisfy { $0[0] == 0xc0 && $0[1] == 48 })
    let ticks = values.flatMap { value in
      (0..<3).map { UInt32(value[2 + $0 * 16 + 12]) | UInt32(value[2 + $0 * 16 + 13]) << 8 }
    }
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1 &- $0 == 1250 }, "40 ms at 31250 ticks a second")
    try ask(fixture, 9, 2) { $0.stop.isError = false }
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.values(.rawData).isEmpty)
  }

  @Test(
    "refuses to record with little battery or storage",
    arguments: [(TagAction.battery(49, charging: nil), 7), (.storageFull(true), 6)])
  func recorderRefuses(action: TagAction, status: Int) throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    try fixture.tag.perform(action)
    fixture.heard = []
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(1) }?.start.dcStatus == UInt32(status))
  }
}
