import Testing

@testable import BlueZ

@Suite("Bluetooth address")
struct BluetoothAddressTests {
  @Test(
    "is written in capitals",
    arguments: [
      ("C0:FF:EE:00:00:01", "C0:FF:EE:00:00:01"), ("09:af:9a:Fa:0f:f0", "09:AF:9A:FA:0F:F0"),
      ("00:00:00:00:00:00", "00:00:00:00:00:00"), ("ff:ff:ff:ff:ff:ff", "FF:FF:FF:FF:FF:FF"),
    ])
  func written(_ text: String, _ expected: String) {
    #expect(BluetoothAddress(text)?.text == expected)
    #expect(BluetoothAddress(text)?.isKnown == true)
  }

  @Test("keeps every digit in its place")
  func places() {
    for value: UInt64 in (0..<48).map({ 1 << $0 }) + [0x0123_4567_89ab, 0xcdef_0123_4567] {
      let pairs = stride(from: 40, through: 0, by: -8).map { shift in
        let pair = String(value >> UInt64(shift) & 0xff, radix: 16, uppercase: true)
        return pair.count == 1 ? "0" + pair : pair
      }
      #expect(BluetoothAddress(pairs.joined(separator: ":"))?.text == pairs.joined(separator: ":"))
    }
  }

  @Test(
    "is only read from six pairs of digits",
    arguments: [
      "", ":", "C0", "C0:FF:EE:00:00", "C0:FF:EE:00:00:", "C0:FF:EE:00:00:0", "C0:FF:EE:00:00:011", "C0-FF-EE-00-00-01",
      "C0:FF:EE:00:00:0G", " C0:FF:EE:00:00:0", "C0FFEE000001", "C0:FF:EE:00:00:01:", "C0:FF:EE:00:00:\u{ff10}",
    ])
  func refused(_ text: String) { #expect(BluetoothAddress(text) == nil) }

  @Test("is empty if it is not known")
  func unknown() { #expect(BluetoothAddress.unknown.text == "" && !BluetoothAddress.unknown.isKnown) }
}
