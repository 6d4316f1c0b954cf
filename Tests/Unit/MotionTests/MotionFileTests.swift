import JacquardWire
import Motion
import TestWorld
import Testing

@Suite("The layout of motion files")
struct MotionFileTests {
  /// Lengths, then metadata with trial id "t", then a configuration with 25 Hz.
  let header = hex("03 1a 01 74 02 20 05")
  let firstSample = hex("01 00 02 00 03 00 04 00 05 00 06 00 07 00 00 00")
  let secondSample = hex("11 00 02 00 03 00 04 00 05 00 06 00 08 00 00 00")

  func start(_ id: UInt8) -> [UInt8] { hex("fe ca fe ca fe ca fe ca fe ca fe ca") + [id, 0, 0, 0] }
  func end(_ result: UInt8) -> [UInt8] { hex("ad de ad de ad de ad de ad de ad de ad de") + [result, 0] }
  func parse(_ parts: [[UInt8]]) throws -> MotionFile {
    try Array(parts.joined()).withUnsafeBytes { try MotionFile($0) }
  }

  @Test("a file may contain several actions") func severalActions() throws {
    let file = try parse([header, start(7), firstSample, secondSample, end(1), start(8), firstSample, end(0)])
    #expect(file.header.metadata.trialID == "t")
    #expect(file.header.configuration.accelSampleRate == 5)
    #expect(file.actions.map(\.id) == [7, 8])
    #expect(file.actions.map(\.samples.count) == [2, 1])
    #expect(file.actions.map(\.result) == [1, 0])
    #expect(file.ending == .complete)
  }

  @Test("an action may be empty") func emptyAction() throws {
    let file = try parse([header, start(7), end(1)])
    #expect(file.actions.map(\.samples) == [[]])
    #expect(file.ending == .complete)
  }

  @Test("an action whose end marker is missing ends where the next starts") func missingEnd() throws {
    let file = try parse([header, start(7), firstSample, start(8), secondSample, end(1)])
    #expect(file.actions.map(\.result) == [nil, 1])
    #expect(file.actions.map(\.samples.count) == [1, 1])
    #expect(file.ending == .complete)
  }

  @Test("a file without any action is incomplete") func noAction() throws {
    let file = try parse([header])
    #expect(file.actions == [])
    #expect(file.ending == .incomplete)
  }

  @Test("a partial unit after the end marker is a truncated action") func startedUnit() throws {
    let file = try parse([header, start(7), end(1), Array(start(8).prefix(9))])
    #expect(file.actions.map(\.id) == [7])
    #expect(file.ending == .incomplete)
  }

  @Test("units outside any action are damage; reading continues at the next start marker") func strayUnits() throws {
    let file = try parse([header, start(7), firstSample, end(1), secondSample, start(8), secondSample, end(1)])
    #expect(file.actions.map(\.id) == [7, 8])
    #expect(file.actions.map(\.samples.count) == [1, 1])
    #expect(file.ending == .damaged(offset: 55))
    #expect(try parse([header, firstSample]).ending == .damaged(offset: 7))
    #expect(try parse([header, end(1)]).ending == .damaged(offset: 7))
  }

  @Test("a unit that resembles a marker is a sample") func almostMarker() throws {
    var nearStart = start(9)
    nearStart[11] = 0xcb
    var nearEnd = end(1)
    nearEnd[13] = 0xdf
    let file = try parse([header, start(7), nearStart, nearEnd, end(1)])
    #expect(file.actions.map(\.samples.count) == [2])
  }

  @Test("the leading messages may be empty") func emptyHeader() throws {
    let file = try parse([[0, 0], start(1), end(1)])
    #expect(file.ending == .complete)
    #expect(file.header.metadata.trialID == "")
  }

  @Test(
    "a header that cannot be read says which part",
    arguments: [
      ("", MotionFileError.truncatedMetadata),
      ("80", .truncatedMetadata),
      ("80 80 04", .truncatedMetadata),
      ("ff ff ff ff 7f", .oversizedMetadata),
      ("81 80 04", .oversizedMetadata),
      ("ff ff ff ff ff ff ff ff ff 01", .oversizedMetadata),
      ("03 1a 05 74", .malformedMetadata),
      ("01 07", .malformedMetadata),
      ("00", .truncatedConfiguration),
      ("00 02 20", .truncatedConfiguration),
      ("00 ff ff ff ff 7f", .oversizedConfiguration),
      ("00 01 20", .malformedConfiguration),
    ])
  func brokenHeader(bytes: String, fault: MotionFileError) {
    #expect(throws: fault) { try parse([hex(bytes)]) }
  }
}
