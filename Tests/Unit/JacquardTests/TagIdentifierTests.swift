import Testing

@testable import Jacquard

@Suite("Tag identifier")
struct TagIdentifierTests {
  /// Computed with another implementation of RFC 9562 (Python's `uuid.uuid5`). Programs store them, so they must never
  /// change.
  @Test(
    "is the version 5 UUID of the Bluetooth address in the project's namespace",
    arguments: [
      ("C0:FF:EE:00:00:01", "f6567c34-0e8c-500d-8e2a-ddaf6b69390c"),
      ("00:00:00:00:00:00", "6eb2b142-c940-5a12-99db-2d613b4233c7"),
    ])
  func pinned(_ address: String, _ text: String) { #expect(TagIdentifier(address: address).text == text) }

  @Test("does not depend on the case of the address")
  func addressCase() {
    #expect(TagIdentifier(address: "c0:ff:ee:00:00:0a") == TagIdentifier(address: "C0:FF:EE:00:00:0A"))
  }

  @Test("differs between addresses")
  func distinct() {
    let identifiers = (0..<1000).map { TagIdentifier(address: "C0:FF:EE:00:0\($0 / 100):\($0 % 100 + 100)") }
    #expect(Set(identifiers).count == 1000)
  }

  @Test("is parsed from its own text, in either case")
  func roundTrip() {
    let identifier = TagIdentifier(address: "C0:FF:EE:00:00:01")
    #expect(TagIdentifier(text: identifier.text) == identifier)
    #expect(TagIdentifier(text: identifier.text.uppercased()) == identifier)
  }

  @Test(
    "is only parsed from a UUID's text",
    arguments: [
      "", "-", "----", "f6567c34", "f6567c340e8c500d8e2addaf6b69390c", "f6567c34-0e8c-500d-8e2a-ddaf6b69390",
      "f6567c34-0e8c-500d-8e2a-ddaf6b69390cc", "g6567c34-0e8c-500d-8e2a-ddaf6b69390c",
      " f6567c34-0e8c-500d-8e2a-ddaf6b69390c", "f6567c34-0e8c-500d-8e2a-ddaf6b69390c\n",
      "{f6567c34-0e8c-500d-8e2a-ddaf6b69390c}", "f6567c34-0e8c-500d-8e2a-ddaf6b69390c-",
      "f6567c3\u{ff14}-0e8c-500d-8e2a-ddaf6b69390c", "f6567c\u{e9}-0e8c-500d-8e2a-ddaf6b69390c",
      "f6567c34:0e8c:500d:8e2a:ddaf6b69390c", "f6567c3\0-0e8c-500d-8e2a-ddaf6b69390c",
    ])
  func refused(_ text: String) { #expect(TagIdentifier(text: text) == nil) }
}
