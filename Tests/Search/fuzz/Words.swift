import DBus
import JacquardWire

@testable import BlueZ
@testable import Jacquard

extension Target {
  /// Texts and short byte strings that identify something. Each must be refused, or unchanged after parsing and
  /// printing.
  static let words = Target(name: "words") { input in
    let text = String(decoding: input, as: UTF8.self)
    if let serial = SerialNumber(manufacturerData: Array(input)) {
      require(SerialNumber(manufacturerData: serial.manufacturerData) == serial, "another serial number")
    }
    if let serial = SerialNumber(text) {
      require(SerialNumber(manufacturerData: serial.manufacturerData)?.text == serial.text, "another serial number")
    }
    if let identifier = TagIdentifier(text: text) {
      require(TagIdentifier(text: identifier.text) == identifier, "another identifier")
    }
    _ = TagIdentifier(address: text).text
    if let address = try? BusAddress(text) {
      require((try? BusAddress(address.description)) == address, "another address: \(address)")
    }
    if let binding = try? Binding(code: text, owner: text) {
      require(binding.tagCode.matches(text), "a code that is not its own")
    }
    require(text.printable.printable == text.printable, "what is printable is not")
    _ = BlueZError(.remote(name: text, message: text)).kind
    _ = MatchRule(argument0: text).description
    _ = Validity.isSignature(text) && Validity.isObjectPath(text)
  }
}
