import Testing

@testable import Jacquard

@Suite("SHA-1")
struct SHA1Tests {
  private func digest(_ text: String) -> String {
    SHA1.digest(of: Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
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
