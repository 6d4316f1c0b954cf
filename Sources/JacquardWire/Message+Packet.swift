import WireFormat

/// The reason why a packet is not a message of the protocol.
public enum PacketError: Error, Hashable, Sendable {
  case malformed
  /// It can be decoded, but a necessary field is absent.
  case missing(field: String)
}

extension WireRequest {
  /// Decodes a request. Throws `missing` if it has no domain, opcode or ID.
  public init(packet: UnsafeRawBufferPointer) throws(PacketError) {
    self = try WireRequest(decoding: packet)
    guard hasDomain else { throw .missing(field: "domain") }
    guard hasOpcode else { throw .missing(field: "opcode") }
    guard hasID else { throw .missing(field: "id") }
  }
}

extension WireResponse {
  /// Decodes a response. Throws `missing` if it has no ID or status.
  public init(packet: UnsafeRawBufferPointer) throws(PacketError) {
    self = try WireResponse(decoding: packet)
    guard hasID else { throw .missing(field: "id") }
    guard hasStatus else { throw .missing(field: "status") }
  }
}

extension WireNotification {
  /// The payload identifies a notification; its domain and opcode are ignored.
  public init(packet: UnsafeRawBufferPointer) throws(PacketError) {
    self = try WireNotification(decoding: packet)
  }
}

extension WireMessage {
  /// The encoded message, before its division into fragments.
  public func packet() -> [UInt8] { serializedBytes() }

  init(decoding bytes: UnsafeRawBufferPointer) throws(PacketError) {
    do { try self.init(serializedBytes: bytes) } catch { throw .malformed }
  }
}

extension WireRequest {
  /// Whether `packet`, from which this was decoded, contains text that is not UTF-8 and was repaired.
  public func hasRepairedText(of packet: [UInt8]) -> Bool {
    Self.replacements(in: self.packet()) > Self.replacements(in: packet)
  }

  private static func replacements(in bytes: [UInt8]) -> Int {
    bytes.indices.dropLast(2).count { bytes[$0...].starts(with: [0xef, 0xbf, 0xbd]) }
  }
}
