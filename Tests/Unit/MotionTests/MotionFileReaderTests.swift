import JacquardWire
import Motion
import TestWorld
import Testing

/// The elements that a reader delivered; consecutive samples are one element.
private enum Seen: Equatable {
  case header(MotionFileHeader)
  case start(UInt32)
  case samples([MotionSample])
  case end(UInt16)
  case stray([UInt8])
}

private struct Reading {
  var reader = MotionFileReader()
  var seen: [Seen] = []

  mutating func read(_ bytes: some Collection<UInt8>) throws(MotionFileError) {
    let bytes = Array(bytes)
    var seen = seen
    defer { self.seen = seen }
    try bytes.withUnsafeBufferPointer { bytes throws(MotionFileError) in
      try reader.read(UnsafeRawBufferPointer(bytes)) { element in
        switch (element, seen.last) {
        case (.header(let header), _): seen.append(.header(header))
        case (.start(let id), _): seen.append(.start(id))
        case (.end(let result), _): seen.append(.end(result))
        case (.samples(let samples), .samples(let before)): seen[seen.count - 1] = .samples(before + samples)
        case (.samples(let samples), _): seen.append(.samples(Array(samples)))
        case (.stray(let bytes), .stray(let before)): seen[seen.count - 1] = .stray(before + bytes)
        case (.stray(let bytes), _): seen.append(.stray(Array(bytes)))
        }
      }
    }
  }
}

@Suite("A motion file that is read piece by piece")
struct MotionFileReaderTests {
  @Test("has the same contents for any size of the pieces", arguments: [1, 2, 7, 15, 16, 17, 61, 508, 4096])
  func pieces(_ size: Int) throws {
    let bytes = try DataFile.bytes("tag-recording-1.bin")
    var whole = Reading()
    try whole.read(bytes)
    var parts = Reading()
    for begin in stride(from: 0, to: bytes.count, by: size) {
      try parts.read(bytes[begin..<min(begin + size, bytes.count)])
      try parts.read([])
    }
    #expect(parts.seen == whole.seen)
    #expect(whole.seen.count == 4)
    #expect(try parts.reader.ending() == .complete)
    #expect(parts.reader.remainder == 0)
  }

  @Test("delivers each sample with its last byte") func immediate() throws {
    let bytes = try DataFile.bytes("tag-recording-1.bin")
    var reading = Reading()
    try reading.read(bytes[..<124])
    #expect(reading.seen.count == 2)
    #expect(try reading.reader.ending() == .incomplete)
    #expect(reading.reader.remainder == 15)
    try reading.read(bytes[124...124])
    #expect(reading.seen.count == 3)
  }

  @Test("delivers stray units unchanged") func stray() throws {
    let unit = hex("01 00 02 00 03 00 04 00 05 00 06 00 07 00 00 00")
    var reading = Reading()
    try reading.read([0, 0] + unit + unit)
    #expect(try reading.seen == [.header(.init(metadata: .init(), configuration: .init())), .stray(unit + unit)])
    #expect(try reading.reader.ending() == .damaged(offset: 2))
  }

  @Test("fails permanently if its header cannot be read") func failure() {
    var reading = Reading()
    #expect(throws: MotionFileError.malformedMetadata) { try reading.read([1, 7, 0]) }
    #expect(throws: MotionFileError.malformedMetadata) { try reading.read([0]) }
    #expect(throws: MotionFileError.malformedMetadata) { try reading.reader.ending() }
    #expect(reading.seen == [])
  }

  @Test("with arbitrary bytes ends in the same way for any size of the pieces", arguments: 0..<200)
  func arbitrary(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var bytes = hex("03 1a 01 74 02 20 05")
    for _ in 0..<Int.random(in: 0...20, using: &random) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes += hex("fe ca fe ca fe ca fe ca fe ca fe ca 01 00 00 00")
      case 1: bytes += hex("ad de ad de ad de ad de ad de ad de ad de 01 00")
      default: bytes += (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
    }
    bytes = bytes.dropLast(Int.random(in: 0...min(20, bytes.count - 7), using: &random))
    var whole = Reading()
    try whole.read(bytes)
    var parts = Reading()
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...40, using: &random))
      try parts.read(piece)
      rest = rest.dropFirst(piece.count)
    }
    #expect(parts.seen == whole.seen)
    #expect(try parts.reader.ending() == whole.reader.ending())
    #expect(parts.reader.remainder == whole.reader.remainder)
  }

  @Test("does not stop the reader when any of its first bytes is changed", arguments: 0..<160)
  func damagedRecording(offset: Int) throws {
    var bytes = Array(try DataFile.bytes("tag-recording-1.bin").prefix(400))
    for change in [0x01, 0x80, 0xff] as [UInt8] {
      bytes[offset] ^= change
      _ = bytes.withUnsafeBytes { try? MotionFile($0) }
      bytes[offset] ^= change
    }
    #expect(try bytes.withUnsafeBytes { try MotionFile($0) }.actions.first?.samples.count == 18)
  }
}
