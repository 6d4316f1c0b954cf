import FoundationEssentials
import SwiftProtobuf

/// Text from a tag that is not UTF-8 is repaired: a vendor's name in Latin-1 must not cost the message that holds it.
extension SwiftProtobuf.Decoder {
  /// Takes the place of `decodeSingularStringField` in the generated code, which would refuse the message.
  mutating func decodeRepairedStringField(value: inout String?) throws {
    var bytes: Data?
    try decodeSingularBytesField(value: &bytes)
    if let bytes { value = String(decoding: bytes, as: UTF8.self) }
  }
}

extension WireRequest {
  /// Whether text of `packet`, from which this was decoded, had to be repaired.
  public func hasRepairedText(of packet: [UInt8]) -> Bool {
    guard let again = try? self.packet() else { return true }
    return Self.replacements(in: again) > Self.replacements(in: packet)
  }

  private static func replacements(in bytes: [UInt8]) -> Int {
    bytes.indices.dropLast(2).count { bytes[$0...].starts(with: [0xef, 0xbf, 0xbd]) }
  }
}
