/// A message of a known kind lacks a field, or has one that is impossible.
struct MalformedMessage: Error {}

extension ServiceMessage {
  /// Nil for a kind that this version does not know. The payload remains in `bytes`.
  init?(_ bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var reader = ServiceMessageReader(bytes)
    guard let kind = ServiceMessageKind(rawValue: try reader.byte()) else { return nil }
    switch kind {
    case .welcome:
      let version = try reader.word()
      self = .welcome(version: version, process: version == Self.version ? Int32(bitPattern: try reader.word()) : 0)
    case .refused:
      let refusal = ServiceRefusal(rawValue: try reader.byte()) ?? .unknown
      self = .refused(refusal, try reader.failure())
    case .state: self = .state(try reader.state())
    case .tagInfo:
      let (address, name) = (try reader.text(), try reader.text())
      self = .tagInfo(try reader.payload(), address: address, name: name)
    case .notification: self = .notification(try reader.payload())
    case .possibleCopy: self = .possibleCopy(try reader.payload())
    case .gear:
      let gear = try reader.gear()
      self = .gear(try reader.payload(), gear)
    case .rawPacket: self = .rawPacket(try reader.payload())
    case .rawValue:
      let isStream = try reader.byte() != 0
      self = .rawValue(try reader.payload(), isStream: isStream)
    case .written: self = .written(id: try reader.word())
    case .response:
      let id = try reader.word()
      self = .response(id: id, try reader.payload())
    case .failed: self = .failed(id: try reader.word(), try reader.failure())
    case .name: self = .name(try reader.text())
    case .touchMode: self = .touchMode(try reader.word())
    case .signalStrength: self = .signalStrength(Int32(bitPattern: try reader.word()))
    case .dropped: self = .dropped(count: try reader.long())
    case .copies: self = .copies(dropped: try reader.long(), doubtful: try reader.long())
    case .interrupted: self = .interrupted
    case .log: self = .log(level: try reader.word(), try reader.text())
    case .granted: self = .granted(kind: try reader.byte())
    case .busy: self = .busy(kind: try reader.byte(), process: Int32(bitPattern: try reader.word()))
    case .hello:
      let version = try reader.word()
      // The fields of another version may differ.
      let request = version == Self.version ? try reader.linkRequest() : LinkRequest(bus: "", tag: "")
      self = .hello(version: version, request)
    case .request:
      let (id, reportsWriting) = (try reader.word(), try reader.byte() != 0)
      self = .request(id: id, reportsWriting: reportsWriting, try reader.payload())
    case .withdraw: self = .withdraw(id: try reader.word())
    case .rawRequest:
      let id = try reader.word()
      self = .rawRequest(id: id, try reader.payload())
    case .reserve: self = .reserve(kind: try reader.byte())
    case .release: self = .release(kind: try reader.byte())
    case .bound: self = .bound
    case .disconnect: self = .disconnect
    }
  }
}

/// Reads the fields of one message; each offset is checked in `take`.
private struct ServiceMessageReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private mutating func take(_ count: Int) throws(MalformedMessage) -> UnsafeRawBufferPointer {
    guard count <= bytes.count - offset else { throw MalformedMessage() }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  mutating func byte() throws(MalformedMessage) -> UInt8 { try take(1)[0] }

  mutating func word() throws(MalformedMessage) -> UInt32 {
    UInt32(littleEndian: try take(4).loadUnaligned(as: UInt32.self))
  }

  mutating func long() throws(MalformedMessage) -> UInt64 {
    UInt64(littleEndian: try take(8).loadUnaligned(as: UInt64.self))
  }

  /// Invalid UTF-8 is repaired.
  mutating func text() throws(MalformedMessage) -> String {
    let count = Int(try byte()) | Int(try byte()) << 8
    guard count <= ServiceMessage.longestText else { throw MalformedMessage() }
    return String(decoding: try take(count), as: UTF8.self)
  }

  mutating func payload() throws(MalformedMessage) -> UnsafeRawBufferPointer {
    guard bytes.count - offset <= ServiceMessage.longestPayload else { throw MalformedMessage() }
    return try take(bytes.count - offset)
  }

  mutating func failure() throws(MalformedMessage) -> ServiceFailure {
    ServiceFailure(
      code: Int32(bitPattern: try word()), attCode: try byte(), tagStatus: try word(),
      systemErrno: Int32(bitPattern: try word()), message: try text(), advice: try text())
  }

  mutating func gear() throws(MalformedMessage) -> ServiceGear {
    let (mode, major, minor, point) = (try word(), try word(), try word(), try word())
    return ServiceGear(uuid: try text(), major: major, minor: minor, point: point, touchMode: mode)
  }

  mutating func state() throws(MalformedMessage) -> ServiceState {
    let (phase, step, attempt, reason) = (try word(), try word(), try word(), try word())
    return ServiceState(
      phase: phase, step: step, attempt: attempt, disconnectReason: reason,
      reason: try byte() == 0 ? nil : try failure())
  }

  mutating func linkRequest() throws(MalformedMessage) -> LinkRequest {
    let flags = try byte()
    var request = LinkRequest(bus: try text(), tag: try text())
    (request.adapter, request.code) = (try text(), try text())
    (request.isBound, request.isExclusive) = (flags & 1 != 0, flags & 2 != 0)
    return request
  }
}
