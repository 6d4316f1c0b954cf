import Motion
import TestWorld
import Testing

@Suite("Motion samples")
struct MotionSampleTests {
  let bytes = hex("75 ff 1e 00 4b 08 eb ff 01 00 00 00 59 03 33 00")
  let sample = MotionSample(
    acceleration: .init(x: -139, y: 30, z: 2123), rotation: .init(x: -21, y: 1, z: 0), ticks: 3_343_193)

  @Test("16 bytes, little-endian") func layout() {
    #expect(bytes.withUnsafeBytes { MotionSample($0) } == sample)
    #expect((bytes + [1, 2, 3]).withUnsafeBytes { MotionSample($0) } == sample)
  }

  @Test("are written as they are read") func written() {
    var written: [UInt8] = [7]
    sample.append(to: &written)
    #expect(written == [7] + bytes)
  }

  @Test("a sample is read from an odd address") func unaligned() {
    ([0] + bytes).withUnsafeBytes { #expect(MotionSample(UnsafeRawBufferPointer(rebasing: $0.dropFirst())) == sample) }
  }

  @Test("fewer than 16 bytes are not a sample", arguments: 0..<16) func short(_ count: Int) {
    #expect(bytes.prefix(count).withUnsafeBytes { MotionSample($0) } == nil)
  }

  @Test(
    "a stream value contains whole samples after two bytes", arguments: [[0xc0, 0x00], [0xc0, 0x30], [0x01, 0xff]])
  func streamValue(_ prefix: [UInt8]) {
    for count in 0...3 {
      for remainder in 0..<16 {
        let value = prefix + Array(repeating: bytes, count: count).joined() + bytes.prefix(remainder)
        let samples = value.withUnsafeBytes { Array(StreamValue.samples($0)) }
        #expect(samples == Array(repeating: sample, count: count))
      }
    }
  }

  @Test("a stream value of 0 to 2 bytes is empty", arguments: 0...2) func shortStreamValue(_ count: Int) {
    #expect(bytes.prefix(count).withUnsafeBytes { Array(StreamValue.samples($0)) } == [])
  }

  @Test("a value may contain sixteen samples and more") func largeStreamValue() {
    let value = [0, 0] + Array(repeating: bytes, count: 40).joined()
    #expect(value.withUnsafeBytes { Array(StreamValue.samples($0)).count } == 40)
  }
}
