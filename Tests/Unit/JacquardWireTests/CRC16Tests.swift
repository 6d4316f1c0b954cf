import JacquardWire
import Testing

@Suite("CRC-16")
struct CRC16Tests {
  static let table: [(input: [UInt8], zero: UInt16, ones: UInt16)] = [
    ([], 0x0000, 0xffff),
    ([0x00], 0x0000, 0xe1f0),
    ([0xff], 0x1ef0, 0xff00),
    (Array("A".utf8), 0x58e5, 0xb915),
    (Array("Hello".utf8), 0xcbd6, 0xdada),
    (Array("123456789".utf8), 0x31c3, 0x29b1),
    (Array(0...255), 0x7e55, 0x3fbd),
    (Array(repeating: 0xff, count: 128), 0xeda9, 0x1da3),
  ]

  @Test("known inputs, with both start values", arguments: table.indices) func known(_ index: Int) {
    let row = Self.table[index]
    #expect(CRC16.checksum(row.input) == row.zero)
    #expect(CRC16.checksum(row.input, seed: 0xffff) == row.ones)
  }

  @Test("the checksum of half an image") func firmwareImage() {
    #expect(CRC16.checksum(Array(0..<128)) == 0xe80a)
  }

  @Test("computed in parts, and resumed, the checksum is the same", arguments: 0...256)
  func running(split: Int) {
    let bytes: [UInt8] = Array(0...255)
    var first = CRC16()
    first.update(Array(bytes[..<split]))
    var second = CRC16(seed: first.value)
    second.update(Array(bytes[split...]))
    #expect(second.value == 0x7e55)
  }
}
