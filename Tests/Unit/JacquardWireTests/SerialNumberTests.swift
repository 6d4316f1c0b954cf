import JacquardWire
import TestWorld
import Testing

@Suite("The serial number in an advertisement")
struct SerialNumberTests {
  static let table = [
    ("0023", "00 20 0c 3f"), ("0086", "00 80 18 3f"), ("01ZK", "40 30 52 3f"), ("A-z9", "8a df 27 3f"),
    ("Abc", "4a 69 fe"),
  ]

  @Test("text to bytes", arguments: table) func packing(text: String, bytes: String) {
    #expect(SerialNumber(text)?.manufacturerData == hex(bytes))
  }

  @Test("bytes to text", arguments: table) func unpacking(text: String, bytes: String) {
    #expect(SerialNumber(manufacturerData: hex(bytes))?.text == text)
  }

  @Test("the text ends with the data if there is no end code") func noEndCode() {
    #expect(SerialNumber(manufacturerData: hex("00"))?.text == "0")
    #expect(SerialNumber(manufacturerData: hex("00 20"))?.text == "00")
    #expect(SerialNumber(manufacturerData: hex("00 20 0c"))?.text == "0023")
  }

  @Test("bytes without a character are not a serial number", arguments: ["", "3f", "ff ff ff ff"])
  func empty(_ bytes: String) {
    #expect(SerialNumber(manufacturerData: hex(bytes)) == nil)
  }

  @Test("text that cannot be encoded is not a serial number", arguments: ["", "01 ZK", "01ZÄ", "01_K", "0\u{0}1"])
  func invalidText(_ text: String) {
    #expect(SerialNumber(text) == nil)
  }

  @Test("the company is Google") func companyID() {
    #expect(SerialNumber.companyID == 224)
  }

  @Test("every text of every length is encoded and decoded")
  func roundTrip() throws {
    let alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-"
    for start in alphabet.indices {
      for length in 1...12 {
        let text = String(alphabet[start...].prefix(length))
        let serial = try #require(SerialNumber(text))
        #expect(SerialNumber(manufacturerData: serial.manufacturerData) == serial)
      }
    }
  }
}
