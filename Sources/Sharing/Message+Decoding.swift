/// A message of a known kind lacks a field, or has one that is impossible.
struct MalformedMessage: Error {}

extension Message {
  /// Nil for a kind that this version does not know. The payload remains in `bytes`.
  init?(_ bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var reader = MessageReader(bytes)
    guard let kind = MessageKind(rawValue: try reader.byte()) else { return nil }
    switch kind {
    case .welcome: self = .welcome(version: try reader.word(), epoch: try reader.long())
    case .refused: self = .refused(Refusal(rawValue: try reader.byte()) ?? .unknown)
    case .state: self = .state(try reader.state())
    case .tagInfo:
      let (address, name) = (try reader.text(), try reader.text())
      self = .tagInfo(try reader.payload(), address: address, name: name)
    case .notification: self = .notification(try reader.payload())
    case .possibleCopy: self = .possibleCopy(try reader.payload())
    case .rawPacket: self = .rawPacket(try reader.payload())
    case .rawValue:
      let isStream = try reader.byte() != 0
      self = .rawValue(try reader.payload(), isStream: isStream)
    case .accepted: self = .accepted(id: try reader.word())
    case .written: self = .written(id: try reader.word())
    case .response:
      let id = try reader.word()
      self = .response(id: id, try reader.payload())
    case .failed: self = .failed(id: try reader.word(), try reader.failure())
    case .name: self = .name(try reader.text())
    case .dropped: self = .dropped(count: try reader.long())
    case .granted: self = .granted(kind: try reader.byte())
    case .busy: self = .busy(kind: try reader.byte(), process: Int32(bitPattern: try reader.word()))
    case .touchMode: self = .touchMode(try reader.word())
    case .signalStrength: self = .signalStrength(Int32(bitPattern: try reader.word()))
    case .gear:
      let gear = try reader.gear()
      self = .gear(try reader.payload(), gear)
    case .hello: self = .hello(version: try reader.word())
    case .request:
      let id = try reader.word()
      self = .request(id: id, try reader.payload())
    case .withdraw: self = .withdraw(id: try reader.word())
    case .rawRequest:
      let id = try reader.word()
      self = .rawRequest(id: id, try reader.payload())
    case .reserve: self = .reserve(kind: try reader.byte())
    case .release: self = .release(kind: try reader.byte())
    case .inquire: self = .inquire(id: try reader.word())
    }
  }
}

/// Reads the fields of one message; each offset is checked in `take`.
private struct MessageReader {
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
    guard count <= Message.longestText else { throw MalformedMessage() }
    return String(decoding: try take(count), as: UTF8.self)
  }

  mutating func payload() throws(MalformedMessage) -> UnsafeRawBufferPointer {
    guard bytes.count - offset <= Message.longestPayload else { throw MalformedMessage() }
    return try take(bytes.count - offset)
  }

  mutating func failure() throws(MalformedMessage) -> SharedFailure {
    SharedFailure(
      code: Int32(bitPattern: try word()), attCode: try byte(), tagStatus: try word(),
      systemErrno: Int32(bitPattern: try word()), message: try text(), advice: try text())
  }

  mutating func gear() throws(MalformedMessage) -> SharedGear {
    let (mode, major, minor, point) = (try word(), try word(), try word(), try word())
    return SharedGear(uuid: try text(), major: major, minor: minor, point: point, touchMode: mode)
  }

  mutating func state() throws(MalformedMessage) -> SharedState {
    let (phase, step, attempt, reason) = (try word(), try word(), try word(), try word())
    return SharedState(
      phase: phase, step: step, attempt: attempt, disconnectReason: reason,
      reason: try byte() == 0 ? nil : try failure())
  }
}
