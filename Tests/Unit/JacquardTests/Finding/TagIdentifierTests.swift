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

@Suite("SHA-1")
struct SHA1Tests {
  private func digest(_ text: String) -> String {
    SHA1.digest(of: Array(text.utf8)).map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  @Test("the test vectors of RFC 3174")
  func rfc3174() {
    #expect(digest("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(
      digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    #expect(digest(String(repeating: "a", count: 1_000_000)) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    #expect(digest(String(repeating: "01234567", count: 80)) == "dea356a2cddd90c7a7ecedc5ebb563934f460452")
  }

  @Test("of an empty input")
  func empty() { #expect(digest("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709") }

  @Test("at the lengths where padding needs another block")
  func padding() {
    #expect(digest(String(repeating: "a", count: 55)) == "c1c8bbdc22796e28c0e15163d20899b65621d65a")
    #expect(digest(String(repeating: "a", count: 56)) == "c2db330f6083854c99d4b5bfb6e8f29f201be699")
    #expect(digest(String(repeating: "a", count: 64)) == "0098ba824b5c16427bd7a1122a5a442a25ec644d")
  }
}
