import WireFormat

extension WireRequest {
  public init(packet: UnsafeRawBufferPointer) throws(PacketFault) {
    self = try WireRequest(decoding: packet)
    guard hasDomain else { throw .missing(field: "domain") }
    guard hasOpcode else { throw .missing(field: "opcode") }
    guard hasID else { throw .missing(field: "id") }
  }
}

extension WireResponse {
  public init(packet: UnsafeRawBufferPointer) throws(PacketFault) {
    self = try WireResponse(decoding: packet)
    guard hasID else { throw .missing(field: "id") }
    guard hasStatus else { throw .missing(field: "status") }
  }
}

extension WireNotification {
  /// Notifications are told apart by the payload they carry; domain and opcode are not looked at.
  public init(packet: UnsafeRawBufferPointer) throws(PacketFault) {
    self = try WireNotification(decoding: packet)
  }
}

extension WireMessage {
  public func packet() -> [UInt8] { serializedBytes() }

  init(decoding bytes: UnsafeRawBufferPointer) throws(PacketFault) {
    do { try self.init(serializedBytes: bytes) } catch { throw .malformed }
  }
}
