/// The numbers of the messages. Those of `hello`, `welcome` and `refused` and their fields stay in all versions.
///
/// A message is its number, then its fields in the order of its case, little-endian; a text or an optional value after its
/// length; the payload is the rest. A receiver ignores unknown numbers, and what follows the fields that it knows.
enum MessageKind: UInt8 {
  case welcome = 1
  case refused, state, tagInfo, notification, rawPacket, rawValue, accepted, written, response, failed, name, dropped
  case granted, busy, touchMode, gear, signalStrength, possibleCopy

  case hello = 64
  case request, withdraw, rawRequest, reserve, release, inquire

  var isFromHost: Bool { rawValue < MessageKind.hello.rawValue }
}

extension Message {
  var kind: MessageKind {
    switch self {
    case .welcome: .welcome
    case .refused: .refused
    case .state: .state
    case .tagInfo: .tagInfo
    case .notification: .notification
    case .possibleCopy: .possibleCopy
    case .rawPacket: .rawPacket
    case .rawValue: .rawValue
    case .accepted: .accepted
    case .written: .written
    case .response: .response
    case .failed: .failed
    case .name: .name
    case .dropped: .dropped
    case .granted: .granted
    case .busy: .busy
    case .touchMode: .touchMode
    case .signalStrength: .signalStrength
    case .gear: .gear
    case .hello: .hello
    case .request: .request
    case .withdraw: .withdraw
    case .rawRequest: .rawRequest
    case .reserve: .reserve
    case .release: .release
    case .inquire: .inquire
    }
  }

  /// The bytes at the end of the message, which are not copied.
  var payload: UnsafeRawBufferPointer? {
    switch self {
    case .tagInfo(let bytes, _, _), .gear(let bytes, _), .notification(let bytes), .possibleCopy(let bytes),
      .rawPacket(let bytes), .rawValue(let bytes, _),
      .response(_, let bytes), .request(_, let bytes), .rawRequest(_, let bytes):
      bytes
    default: nil
    }
  }

  /// Replaces `header` with everything before the payload.
  func encodeHeader(_ header: inout MessageHeader) {
    header.begin(kind)
    switch self {
    case .welcome(let version, let epoch):
      header.put(version)
      header.put(epoch)
    case .refused(let refusal): header.put(refusal.rawValue)
    case .state(let state):
      header.put(state.phase)
      header.put(state.step)
      header.put(state.attempt)
      header.put(state.disconnectReason)
      header.put(UInt8(state.reason == nil ? 0 : 1))
      if let reason = state.reason { header.put(reason) }
    case .tagInfo(_, let address, let name):
      header.put(address)
      header.put(name)
    case .notification, .possibleCopy, .rawPacket: break
    case .rawValue(_, let isStream): header.put(UInt8(isStream ? 1 : 0))
    case .accepted(let id), .written(let id), .response(let id, _), .withdraw(let id), .inquire(let id),
      .request(let id, _), .rawRequest(let id, _):
      header.put(id)
    case .failed(let id, let failure):
      header.put(id)
      header.put(failure)
    case .name(let text): header.put(text)
    case .dropped(let count): header.put(count)
    case .granted(let kind), .reserve(let kind), .release(let kind): header.put(kind)
    case .busy(let kind, let process):
      header.put(kind)
      header.put(UInt32(bitPattern: process))
    case .hello(let version): header.put(version)
    case .touchMode(let mode): header.put(mode)
    case .signalStrength(let strength): header.put(UInt32(bitPattern: strength))
    case .gear(_, let gear):
      header.put(gear.touchMode)
      header.put(gear.major)
      header.put(gear.minor)
      header.put(gear.point)
      header.put(gear.uuid)
    }
  }
}

/// The bytes of a message before its payload. One is used again and again, so that a notification allocates no memory.
struct MessageHeader {
  private(set) var bytes: [UInt8] = []

  mutating func begin(_ kind: MessageKind) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(kind.rawValue)
  }

  mutating func put(_ byte: UInt8) { bytes.append(byte) }

  mutating func put(_ number: UInt32) {
    for shift in stride(from: 0 as UInt32, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func put(_ number: UInt64) {
    put(UInt32(truncatingIfNeeded: number))
    put(UInt32(truncatingIfNeeded: number >> 32))
  }

  /// Cut off after the last whole character that fits.
  mutating func put(_ text: String) {
    let utf8 = text.utf8
    var end = utf8.index(utf8.startIndex, offsetBy: Message.longestText, limitedBy: utf8.endIndex) ?? utf8.endIndex
    while end < utf8.endIndex, utf8[end] & 0xc0 == 0x80 { end = utf8.index(before: end) }
    let count = utf8.distance(from: utf8.startIndex, to: end)
    bytes.append(UInt8(truncatingIfNeeded: count))
    bytes.append(UInt8(truncatingIfNeeded: count >> 8))
    bytes.append(contentsOf: utf8[..<end])
  }

  mutating func put(_ failure: SharedFailure) {
    put(UInt32(bitPattern: failure.code))
    put(failure.attCode)
    put(failure.tagStatus)
    put(UInt32(bitPattern: failure.systemErrno))
    put(failure.message)
    put(failure.advice)
  }
}
