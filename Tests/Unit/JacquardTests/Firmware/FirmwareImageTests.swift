import Glibc
import JacquardWire
import TestWorld
import Testing

@testable import Jacquard

@Suite("Firmware images")
struct FirmwareImageTests {
  private static let identity = FirmwareImage.Identity(
    vendor: PartID(rawValue: 0x1178_30c8), product: PartID(rawValue: 0x283b_e7a0),
    version: .init(major: 1, minor: 97, point: 0))

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(
    "SHA-256 of the examples of FIPS 180-4, and around the length of a block",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ])
  func digest(_ text: String, _ expected: String) {
    #expect(hexadecimal(SHA256.digest(of: Array(text.utf8))) == expected)
  }

  @Test("the checksum of any number of first bytes is that of the reference SDK for iOS") func prefixes() throws {
    let bytes = (0..<1000).map { UInt8($0 % 255) }
    let image = try FirmwareImage(bytes, Self.identity)
    #expect(image.checksum == 0xd5b9)
    #expect([128, 256, 896].map(image.checksum(ofFirst:)) == [0xe80a, 0x60a5, 0xc68a])
    for count in 0...1000 {
      #expect(image.checksum(ofFirst: count) == CRC16.checksum(Array(bytes[..<count])))
    }
  }

  private func manifest(_ replaced: String = "", with new: String = "") -> String {
    let text = """
      {"vendor_id": "11-78-30-c8", "product_id": "28-3b-e7-a0", "version": "1.97.0", "size": 1000, "crc16": 54713,
       "sha256": "cc9003eee1aa90aedb2ea6451558938a5a2d0a3f88ea63f85448123a329623b1", "comment": [1, {"a": null}]}
      """
    return replaced.isEmpty ? text : text.replacing(replaced, with: new, maxReplacements: 1)
  }

  private func check(_ text: String) throws(JacquardError) {
    let image = try FirmwareImage((0..<1000).map { UInt8($0 % 255) }, Self.identity)
    try FirmwareManifest(json: Array(text.utf8)).check(image)
  }

  @Test("a manifest that describes the image is accepted, with other members or without crc16") func accepted() throws {
    try check(manifest())
    try check(manifest("\"crc16\": 54713,"))
    try check(manifest("\"size\"", with: "\"module_id\": null, \"size\""))
  }

  @Test(
    "a manifest that is malformed or contradicts the image is refused",
    arguments: [
      ("{", "["), ("}", ""), ("\"size\"", "\"vendor_id\": \"11-78-30-c8\", \"size\""), ("11-78-30-c8", "11-78-30-c9"),
      ("\"11-78-30-c8\"", "293089480"), ("28-3b-e7-a0", "283be7a0"), ("1.97.0", "1.97"), ("1.97.0", "1.97.1"),
      ("1.97.0", "1.+97.0"), ("1000", "999"), ("1000", "1e3"), ("1000", "\"1000\""), ("54713", "54712"),
      ("54713", "70000"),
      ("cc9003", "cc9004"), ("cc9003", "xx9003"), ("cc9003", "+c9003"), ("cc9003", ""), ("\"size\": 1000, ", ""),
      ("\"version\": \"1.97.0\", ", ""), ("\"size\"", "\"module_id\": \"00-00-00-01\", \"size\""),
    ])
  func contradiction(_ replaced: String, _ new: String) {
    do throws(JacquardError) {
      try check(manifest(replaced, with: new))
      Issue.record("accepted")
    } catch {
      #expect(error.code == .firmwareManifest)
    }
  }

  @Test("only regular files of a possible size are read") func files() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.path + "/image"
    #expect(mkfifo(scratch.path + "/fifo", 0o600) == 0)
    for unusable in [path, scratch.path, scratch.path + "/fifo", "/dev/zero"] {
      #expect(throws: JacquardError.self) { try FirmwareFile.image(at: unusable) }
    }
    let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    #expect(write(descriptor, "abc", 3) == 3)
    #expect(try FirmwareFile.image(at: path) == Array("abc".utf8))
    #expect(try FirmwareFile.image(from: descriptor) == Array("abc".utf8))
    #expect(try FirmwareFile.manifest(ofImageAt: path) == nil)
    #expect(ftruncate(descriptor, off_t(FirmwareImage.mostBytes + 1)) == 0)
    #expect(throws: JacquardError.self) { try FirmwareFile.image(at: path) }
    #expect(throws: JacquardError.self) { try FirmwareFile.image(from: -1) }
  }
}
