/// One protocol violation by the host, with the bytes that show it.
public struct Violation: Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, CaseIterable, Sendable {
    case writeTypeNotOffered = "write type not offered"
    case notWritable = "characteristic not writable"
    case writeWithoutNotify = "write before notifications are enabled"
    case emptyValue = "empty value"
    case fragmentTooLarge = "fragment too large"
    case firstFragmentCounter = "counter of a first fragment is not zero"
    case packetInterrupted = "packet interrupted by another"
    case fragmentWithoutFirst = "fragment without a first one"
    case fragmentCounter = "fragment counter out of order"
    case lengthMalformed = "packet length malformed"
    case packetEmpty = "packet empty"
    case packetTooLarge = "packet too large"
    case packetOverrun = "packet longer than announced"
    case packetCutShort = "packet shorter than announced"
    case lastFlagMissing = "last fragment not marked"
    case requestMalformed = "request is not a protobuf message"
    case fieldMissing = "required field missing"
    case idReserved = "request id 0 or 255 or larger"
    case requestOverlap = "request before the response to the previous one"
    case beforeHello = "request before hello"
    case beforeBegin = "request before begin"
    case protocolVersion = "unsupported protocol version"
    case requestUnknown = "unknown domain and opcode"
    case payloadMissing = "payload missing"
    case payloadForeign = "payload of another request"
    case componentUnknown = "unknown component"
    case valueOutOfRange = "value out of range"
    case wrongState = "request in the wrong state"
    case rawPacketMalformed = "malformed packet on the raw data channel"
    case acknowledgementUnexpected = "unexpected acknowledgement"
    case acknowledgementMissing = "data not acknowledged"
  }

  public var kind: Kind
  public var detail: String
  public var bytes: [UInt8]

  public init(_ kind: Kind, _ detail: String = "", bytes: [UInt8] = []) {
    self.kind = kind
    self.detail = detail
    self.bytes = bytes
  }

  public var description: String {
    var text = kind.rawValue
    if !detail.isEmpty { text += " (\(detail))" }
    if !bytes.isEmpty { text += ": \(hex(bytes))" }
    return text
  }
}
