import JacquardWire
import Motion
import TestWorld
import Testing

@Suite("Writing motion files")
struct MotionFileWriterTests {
  let header: MotionFileHeader
  let sample = MotionSample(
    acceleration: .init(x: 1, y: 2, z: 3), rotation: .init(x: 4, y: 5, z: 6), ticks: 7)

  init() throws {
    header = try MotionFileHeader(
      metadata: .with { $0.trialID = String(repeating: "t", count: 200) },
      configuration: .with { $0.accelSampleRate = 5 })
  }

  private func append(_ writer: inout MotionFileWriter) throws {
    let isWritten = writer.append(sample)
    try #require(isWritten)
  }

  @Test("a file written piece by piece can be read again") func roundTrip() throws {
    var writer = MotionFileWriter(header)
    var file = writer.take()
    for id: UInt32 in [3, 4] {
      writer.start(actionID: id)
      try append(&writer)
      file += writer.take()
      try append(&writer)
      let isEnded = writer.end(result: 1)
      #expect(isEnded)
    }
    file += writer.take()
    let read = try file.withUnsafeBytes { try MotionFile($0) }
    #expect(read.header == header)
    #expect(
      read.actions == [3, 4].map { .init(id: $0, samples: [sample, sample], result: 1) })
    #expect(read.ending == .complete)
    #expect(read.serialized() == file)
  }

  @Test("an action without an end is written again without one") func openActions() throws {
    var writer = MotionFileWriter(header)
    writer.start(actionID: 1)
    try append(&writer)
    writer.start(actionID: 2)
    try append(&writer)
    let file = writer.take()
    let read = try file.withUnsafeBytes { try MotionFile($0) }
    #expect(read.actions.map(\.result) == [nil, nil])
    #expect(read.ending == .incomplete)
    #expect(read.serialized() == file)
  }

  @Test("nothing is written outside an action") func outside() {
    var writer = MotionFileWriter(header)
    let begin = writer.bytes
    let isWritten = writer.append(sample)
    let isEnded = writer.end(result: 1)
    #expect(!isWritten && !isEnded)
    #expect(writer.bytes == begin)
  }

  @Test("a sample that reads as a marker is refused", arguments: ["fe ca", "ad de"]) func marker(_ word: String) throws
  {
    let bytes = Array(repeating: hex(word), count: 8).joined()
    let marker = try #require(Array(bytes).withUnsafeBytes { MotionSample($0) })
    var writer = MotionFileWriter(header)
    writer.start(actionID: 1)
    let begin = writer.bytes
    let isWritten = writer.append(marker)
    #expect(!isWritten)
    #expect(writer.bytes == begin)
  }

  @Test("a header that no reader would accept is refused") func oversized() {
    let text = [UInt8](repeating: 0, count: 65_530)
    #expect(throws: MotionFileError.oversizedMetadata) {
      try MotionFileHeader(metadata: .with { $0.customData = text + text }, configuration: .init())
    }
    #expect(throws: Never.self) {
      try MotionFileHeader(metadata: .with { $0.customData = text }, configuration: .init())
    }
  }
}
