import JacquardWire
import TestWorld
import Testing

@Suite("A recording made by a tag")
struct RecordingTests {
  let bytes: [UInt8]
  let session: SessionFile

  init() throws {
    bytes = try DataFile.bytes("tag-recording-1.bin")
    session = try bytes.withUnsafeBytes { try SessionFile($0) }
  }

  @Test("is the expected file") func identity() {
    #expect(bytes.count == 27309)
    #expect(CRC16.checksum(bytes) == 0x46a2)
    #expect(CRC16.checksum(bytes, seed: 0xffff) == 0x7ad3)
  }

  @Test("has the expected metadata") func metadata() {
    let metadata = session.metadata
    #expect(metadata.campaignID == "IMU_Campaign")
    #expect(metadata.sessionID == "IMU_Group")
    #expect(metadata.subjectID == "IMU_Subject")
    #expect(metadata.productID == "IMU_Product")
    #expect(metadata.trialID == "1627944568.5951009")
    #expect(metadata.mode == 1)
    #expect(metadata.sensorIds == [])
    #expect(!metadata.hasActionID)
  }

  @Test("has the expected settings") func configuration() {
    let configuration = session.configuration
    #expect(configuration.accelLowPowerMode)
    #expect(configuration.accelFilterMode == 0)
    #expect(AccelerometerRate(rawValue: configuration.accelSampleRate).hertz == 200)
    #expect(AccelerometerRange(rawValue: configuration.accelRange).gravities == 16)
    #expect(configuration.gyroLowPowerMode)
    #expect(configuration.gyroFilterMode == 2)
    #expect(GyroscopeRate(rawValue: configuration.gyroSampleRate).hertz == 200)
    #expect(GyroscopeRange(rawValue: configuration.gyroRange).degreesPerSecond == 2000)
  }

  @Test("contains one complete action of 1699 samples") func actions() throws {
    #expect(session.ending == .complete)
    #expect(session.actions.count == 1)
    let action = try #require(session.actions.first)
    #expect(action.id == 0)
    #expect(action.result == 1)
    #expect(action.samples.count == 1699)
  }

  @Test("starts and ends with the expected samples") func samples() throws {
    let samples = try #require(session.actions.first).samples
    #expect(
      samples[0]
        == IMUSample(
          acceleration: .init(x: 973, y: -1418, z: -1236), rotation: .init(x: 3554, y: 3644, z: -1337), ticks: 991384))
    #expect(
      samples[1]
        == IMUSample(
          acceleration: .init(x: 973, y: -1418, z: -1236), rotation: .init(x: 3541, y: 3336, z: -1373), ticks: 991540))
    #expect(
      samples[1698]
        == IMUSample(
          acceleration: .init(x: 917, y: -1179, z: 1533), rotation: .init(x: 21, y: 121, z: -62), ticks: 1_257_376))
  }

  @Test("has the expected ticks") func ticks() throws {
    let ticks = try #require(session.actions.first).samples.map { Int($0.ticks) }
    let steps = zip(ticks.dropFirst(), ticks).map { $0 - $1 }
    #expect(steps.min() == 151)
    #expect(steps.max() == 162)
    #expect((Double(steps.reduce(0, +)) / Double(steps.count) * 100).rounded() == 15665)
  }

  /// The parts of this file: header up to 93, start marker up to 109, samples up to 27293, end marker.
  @Test(
    "keeps what it has, wherever it is cut off",
    arguments: Array(stride(from: 0, through: 27309, by: 41)) + [73, 74, 92, 93, 108, 109, 27293, 27308, 27309])
  func cutOff(_ count: Int) throws {
    let parse = { try bytes.prefix(count).withUnsafeBytes { try SessionFile($0) } }
    switch count {
    case ..<74: #expect(throws: SessionFileFault.truncatedMetadata) { try parse() }
    case ..<93: #expect(throws: SessionFileFault.truncatedConfiguration) { try parse() }
    case ..<109:
      let session = try parse()
      #expect(session.actions == [])
      #expect(session.ending == .incomplete)
    case ..<27309:
      let session = try parse()
      #expect(session.actions.first?.samples.count == min((count - 109) / 16, 1699))
      #expect(session.actions.first?.result == nil)
      #expect(session.ending == .incomplete)
    default: #expect(try parse().ending == .complete)
    }
  }
}

@Suite("The layout of recordings")
struct SessionFileTests {
  /// Lengths, then metadata with trial id "t", then a configuration with 25 Hz.
  let header = hex("03 1a 01 74 02 20 05")
  let firstSample = hex("01 00 02 00 03 00 04 00 05 00 06 00 07 00 00 00")
  let secondSample = hex("11 00 02 00 03 00 04 00 05 00 06 00 08 00 00 00")

  func start(_ id: UInt8) -> [UInt8] { hex("fe ca fe ca fe ca fe ca fe ca fe ca") + [id, 0, 0, 0] }
  func end(_ result: UInt8) -> [UInt8] { hex("ad de ad de ad de ad de ad de ad de ad de") + [result, 0] }
  func parse(_ parts: [[UInt8]]) throws -> SessionFile {
    try Array(parts.joined()).withUnsafeBytes { try SessionFile($0) }
  }

  @Test("a file may contain several actions") func severalActions() throws {
    let session = try parse([header, start(7), firstSample, secondSample, end(1), start(8), firstSample, end(0)])
    #expect(session.metadata.trialID == "t")
    #expect(session.configuration.accelSampleRate == 5)
    #expect(session.actions.map(\.id) == [7, 8])
    #expect(session.actions.map(\.samples.count) == [2, 1])
    #expect(session.actions.map(\.result) == [1, 0])
    #expect(session.ending == .complete)
  }

  @Test("an action may be empty") func emptyAction() throws {
    let session = try parse([header, start(7), end(1)])
    #expect(session.actions.map(\.samples) == [[]])
    #expect(session.ending == .complete)
  }

  @Test("an action whose end marker is missing ends where the next starts") func missingEnd() throws {
    let session = try parse([header, start(7), firstSample, start(8), secondSample, end(1)])
    #expect(session.actions.map(\.result) == [nil, 1])
    #expect(session.actions.map(\.samples.count) == [1, 1])
    #expect(session.ending == .complete)
  }

  @Test("without any action a file is incomplete") func noAction() throws {
    let session = try parse([header])
    #expect(session.actions == [])
    #expect(session.ending == .incomplete)
  }

  @Test("a partial unit after the end marker is a truncated action") func startedUnit() throws {
    let session = try parse([header, start(7), end(1), Array(start(8).prefix(9))])
    #expect(session.actions.map(\.id) == [7])
    #expect(session.ending == .incomplete)
  }

  @Test("a sample outside an action is damage; everything before it is kept") func strayUnit() throws {
    let behind = try parse([header, start(7), firstSample, end(1), secondSample, start(8)])
    #expect(behind.actions.map(\.id) == [7])
    #expect(behind.ending == .damaged(offset: 55))
    #expect(try parse([header, firstSample]).ending == .damaged(offset: 7))
    #expect(try parse([header, end(1)]).ending == .damaged(offset: 7))
  }

  @Test("a unit that resembles a marker is a sample") func almostMarker() throws {
    var nearStart = start(9)
    nearStart[11] = 0xcb
    var nearEnd = end(1)
    nearEnd[13] = 0xdf
    let session = try parse([header, start(7), nearStart, nearEnd, end(1)])
    #expect(session.actions.map(\.samples.count) == [2])
  }

  @Test("the leading messages may be empty") func emptyHeader() throws {
    let session = try parse([[0, 0], start(1), end(1)])
    #expect(session.ending == .complete)
    #expect(session.metadata.trialID == "")
  }

  @Test(
    "a header that cannot be read says which part",
    arguments: [
      ("", SessionFileFault.truncatedMetadata),
      ("80", .truncatedMetadata),
      ("ff ff ff ff 7f", .truncatedMetadata),
      ("ff ff ff ff ff ff ff ff ff 01", .truncatedMetadata),
      ("03 1a 05 74", .malformedMetadata),
      ("01 07", .malformedMetadata),
      ("00", .truncatedConfiguration),
      ("00 02 20", .truncatedConfiguration),
      ("00 01 20", .malformedConfiguration),
    ])
  func brokenHeader(bytes: String, fault: SessionFileFault) {
    #expect(throws: fault) { try parse([hex(bytes)]) }
  }
}
