/// The numbers of the messages. Those of `hello`, `welcome` and `refused`, and the version in the first two, stay in all
/// versions.
///
/// A message is its number, then its fields in the order of its case, little-endian; a text or an optional value after its
/// length; the payload is the rest. A receiver ignores unknown numbers, and what follows the fields that it knows.
enum ServiceMessageKind: UInt8 {
  case welcome = 1
  case refused, state, tagInfo, notification, possibleCopy, gear, rawPacket, rawValue, written, response, failed, name,
    touchMode
  case signalStrength, dropped, copies, interrupted, log, granted, busy

  case hello = 64
  case request, withdraw, rawRequest, reserve, release, bound, disconnect

  var isFromService: Bool { rawValue < ServiceMessageKind.hello.rawValue }
}

extension ServiceMessage {
  var kind: ServiceMessageKind {
    switch self {
    case .welcome: .welcome
    case .refused: .refused
    case .state: .state
    case .tagInfo: .tagInfo
    case .notification: .notification
    case .possibleCopy: .possibleCopy
    case .gear: .gear
    case .rawPacket: .rawPacket
    case .rawValue: .rawValue
    case .written: .written
    case .response: .response
    case .failed: .failed
    case .name: .name
    case .touchMode: .touchMode
    case .signalStrength: .signalStrength
    case .dropped: .dropped
    case .copies: .copies
    case .interrupted: .interrupted
    case .log: .log
    case .granted: .granted
    case .busy: .busy
    case .hello: .hello
    case .request: .request
    case .withdraw: .withdraw
    case .rawRequest: .rawRequest
    case .reserve: .reserve
    case .release: .release
    case .bound: .bound
    case .disconnect: .disconnect
    }
  }

  /// The bytes at the end of the message, which are not copied.
  var payload: UnsafeRawBufferPointer? {
    switch self {
    case .tagInfo(let bytes, _, _), .gear(let bytes, _), .notification(let bytes), .possibleCopy(let bytes),
      .rawPacket(let bytes), .rawValue(let bytes, _), .response(_, let bytes), .request(_, _, let bytes),
      .rawRequest(_, let bytes):
      bytes
    default: nil
    }
  }

  /// Replaces `header` with everything before the payload.
  func encodeHeader(_ header: inout ServiceMessageHeader) {
    header.begin(kind)
    switch self {
    case .notification, .possibleCopy, .rawPacket, .interrupted, .bound, .disconnect: break
    case .welcome(let version, let process):
      header.put(version)
      header.put(UInt32(bitPattern: process))
    case .refused(let refusal, let failure):
      header.put(refusal.rawValue)
      header.put(failure)
    case .state(let state): header.put(state)
    case .tagInfo(_, let address, let name):
      header.put(address)
      header.put(name)
    case .gear(_, let gear): header.put(gear)
    case .rawValue(_, let isStream): header.put(UInt8(isStream ? 1 : 0))
    case .written(let id), .response(let id, _), .withdraw(let id), .rawRequest(let id, _): header.put(id)
    case .failed(let id, let failure):
      header.put(id)
      header.put(failure)
    case .name(let text): header.put(text)
    case .touchMode(let mode): header.put(mode)
    case .signalStrength(let strength): header.put(UInt32(bitPattern: strength))
    case .dropped(let count): header.put(count)
    case .copies(let dropped, let doubtful):
      header.put(dropped)
      header.put(doubtful)
    case .log(let level, let text):
      header.put(level)
      header.put(text)
    case .granted(let kind), .reserve(let kind), .release(let kind): header.put(kind)
    case .busy(let kind, let process):
      header.put(kind)
      header.put(UInt32(bitPattern: process))
    case .hello(let version, let request):
      header.put(version)
      header.put(request)
    case .request(let id, let reportsWriting, _):
      header.put(id)
      header.put(UInt8(reportsWriting ? 1 : 0))
    }
  }
}

/// The bytes of a message before its payload. One is used again and again, so that a notification allocates no memory.
struct ServiceMessageHeader {
  private(set) var bytes: [UInt8] = []

  mutating func begin(_ kind: ServiceMessageKind) {
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
    var end =
      utf8.index(utf8.startIndex, offsetBy: ServiceMessage.longestText, limitedBy: utf8.endIndex) ?? utf8.endIndex
    while end < utf8.endIndex, utf8[end] & 0xc0 == 0x80 { end = utf8.index(before: end) }
    let count = utf8.distance(from: utf8.startIndex, to: end)
    bytes.append(UInt8(truncatingIfNeeded: count))
    bytes.append(UInt8(truncatingIfNeeded: count >> 8))
    bytes.append(contentsOf: utf8[..<end])
  }

  mutating func put(_ failure: ServiceFailure) {
    put(UInt32(bitPattern: failure.code))
    put(failure.attCode)
    put(failure.tagStatus)
    put(UInt32(bitPattern: failure.systemErrno))
    put(failure.message)
    put(failure.advice)
  }

  mutating func put(_ state: ServiceState) {
    put(state.phase)
    put(state.step)
    put(state.attempt)
    put(state.disconnectReason)
    put(UInt8(state.reason == nil ? 0 : 1))
    if let reason = state.reason { put(reason) }
  }

  mutating func put(_ gear: ServiceGear) {
    put(gear.touchMode)
    put(gear.major)
    put(gear.minor)
    put(gear.point)
    put(gear.uuid)
  }

  mutating func put(_ request: LinkRequest) {
    put(UInt8((request.isBound ? 1 : 0) | (request.isExclusive ? 2 : 0)))
    put(request.bus)
    put(request.tag)
    put(request.adapter)
    put(request.code)
  }
}
