import WireFormat

extension WireRequest {
  public init(packet: UnsafeRawBufferPointer) throws(PacketError) {
    self = try WireRequest(decoding: packet)
    guard hasDomain else { throw .missing(field: "domain") }
    guard hasOpcode else { throw .missing(field: "opcode") }
    guard hasID else { throw .missing(field: "id") }
  }
}

extension WireResponse {
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
  public func packet() -> [UInt8] { serializedBytes() }

  init(decoding bytes: UnsafeRawBufferPointer) throws(PacketError) {
    do { try self.init(serializedBytes: bytes) } catch { throw .malformed }
  }
}
