import JacquardWire
import Motion
import TestWorld
import Testing

@Suite("A recording made by a tag")
struct RealMotionFileTests {
  let bytes: [UInt8]
  let file: MotionFile

  init() throws {
    bytes = try DataFile.bytes("tag-recording-1.bin")
    file = try bytes.withUnsafeBytes { try MotionFile($0) }
  }

  @Test("is the expected file") func identity() {
    #expect(bytes.count == 27309)
    var checksum = MotionFileChecksum()
    for part in [bytes[..<1000], bytes[1000...]] { part.withUnsafeBytes { checksum.update($0) } }
    #expect(checksum.seed(for: 0x46a2) == 0)
    #expect(checksum.seed(for: 0x7ad3) == 0xffff)
    #expect(checksum.seed(for: 0x46a3) == nil)
    #expect(checksum.seed(for: 0x1_46a2) == nil)
  }

  @Test("is written again byte for byte") func rewritten() {
    #expect(file.serialized() == bytes)
  }

  @Test("has the expected metadata") func metadata() {
    let metadata = file.header.metadata
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
    let configuration = file.header.configuration
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
    #expect(file.ending == .complete)
    #expect(file.actions.count == 1)
    let action = try #require(file.actions.first)
    #expect(action.id == 0)
    #expect(action.result == 1)
    #expect(action.samples.count == 1699)
  }

  @Test("starts and ends with the expected samples") func samples() throws {
    let samples = try #require(file.actions.first).samples
    #expect(
      samples[0]
        == MotionSample(
          acceleration: .init(x: 973, y: -1418, z: -1236), rotation: .init(x: 3554, y: 3644, z: -1337), ticks: 991384))
    #expect(
      samples[1]
        == MotionSample(
          acceleration: .init(x: 973, y: -1418, z: -1236), rotation: .init(x: 3541, y: 3336, z: -1373), ticks: 991540))
    #expect(
      samples[1698]
        == MotionSample(
          acceleration: .init(x: 917, y: -1179, z: 1533), rotation: .init(x: 21, y: 121, z: -62), ticks: 1_257_376))
  }

  @Test("has the expected ticks") func ticks() throws {
    let ticks = try #require(file.actions.first).samples.map { Int($0.ticks) }
    let steps = zip(ticks.dropFirst(), ticks).map { $0 - $1 }
    #expect(steps.min() == 151)
    #expect(steps.max() == 162)
    #expect((Double(steps.reduce(0, +)) / Double(steps.count) * 100).rounded() == 15665)
  }

  /// The parts of this file: header up to 93, start marker up to 109, samples up to 27293, end marker.
  @Test(
    "keeps everything before the point of truncation",
    arguments: Array(stride(from: 0, through: 27309, by: 41)) + [73, 74, 92, 93, 108, 109, 27293, 27308, 27309])
  func cutOff(_ count: Int) throws {
    let parse = { try bytes.prefix(count).withUnsafeBytes { try MotionFile($0) } }
    switch count {
    case ..<74: #expect(throws: MotionFileError.truncatedMetadata) { try parse() }
    case ..<93: #expect(throws: MotionFileError.truncatedConfiguration) { try parse() }
    case ..<109:
      let file = try parse()
      #expect(file.actions == [])
      #expect(file.ending == .incomplete)
    case ..<27309:
      let file = try parse()
      #expect(file.actions.first?.samples.count == min((count - 109) / 16, 1699))
      #expect(file.actions.first?.result == nil)
      #expect(file.ending == .incomplete)
    default: #expect(try parse().ending == .complete)
    }
  }
}
