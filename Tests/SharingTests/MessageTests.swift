import Testing

@testable import Sharing

@Suite("Messages")
struct MessageTests {
  private static let failure = ServiceFailure(
    code: -46, attCode: 0x0e, tagStatus: 7, systemErrno: 110, message: "Grüße.", advice: "None needed.")

  private static var request: LinkRequest {
    var request = LinkRequest(bus: "0123", tag: "44e1de1a-18a7-5b23-b72f-f88fb1fc71ac")
    request.adapter = "00:1A:7D:DA:71:13"
    request.code = "01ZK"
    request.isBound = true
    request.isExclusive = true
    return request
  }

  /// One of each kind, with this payload.
  private static func all(_ payload: UnsafeRawBufferPointer) -> [ServiceMessage] {
    [
      .welcome(version: 1, process: 7), .refused(.inUse, failure), .state(ServiceState(phase: 6, step: 14)),
      .state(ServiceState(phase: 1, step: 2, attempt: 3, disconnectReason: 4, reason: failure)),
      .tagInfo(payload, address: "C0:FF:EE:00:00:01", name: "Jacquard"), .notification(payload),
      .possibleCopy(payload), .interrupted, .rawPacket(payload),
      .gear(payload, ServiceGear(uuid: "0123", major: 1, minor: 2, point: 3, touchMode: 2)),
      .gear(payload, ServiceGear()),
      .rawValue(payload, isStream: true), .rawValue(payload, isStream: false), .written(id: 2),
      .response(id: .max, payload), .failed(id: 4, failure), .name("tag"), .dropped(count: .max), .granted(kind: 1),
      .busy(kind: 2, process: 4711), .touchMode(2), .signalStrength(-42), .signalStrength(.min),
      .hello(version: 1, request),
      .hello(version: 1, LinkRequest(bus: "", tag: "")), .copies(dropped: 1, doubtful: .max), .log(level: 1, "slow"),
      .bound,
      .disconnect, .request(id: 5, reportsWriting: true, payload), .withdraw(id: 6),
      .rawRequest(id: 7, payload), .reserve(kind: 3), .release(kind: 4),
    ]
  }

  private func decoded(_ bytes: [UInt8]) throws -> Received? {
    try bytes.withUnsafeBytes { try ServiceMessage($0).map(Received.init) }
  }

  @Test("are the same after they were sent", arguments: [0, 1, 20, 1024, 4096])
  func roundTrip(_ count: Int) throws {
    try withPayload(count) { (payload) throws in
      for message in Self.all(payload) {
        let sent = Received(message)
        #expect(try decoded(sent.bytes) == sent)
      }
    }
  }

  @Test("that are incomplete are malformed, unless their payload is incomplete")
  func truncated() throws {
    try withPayload(3) { (payload) throws in
      for message in Self.all(payload) {
        let sent = Received(message)
        let header = sent.bytes.count - (message.payload?.count ?? 0)
        for count in 0..<header {
          #expect(throws: MalformedMessage.self) { try decoded(Array(sent.bytes.prefix(count))) }
        }
      }
    }
  }

  @Test("of unknown kinds are ignored, and so is what follows the known fields")
  func newer() throws {
    for kind in [0, 60, 63, 80, 255] as [UInt8] { #expect(try decoded([kind, 1, 2, 3]) == nil) }
    let written = Received(.written(id: 9))
    #expect(try decoded(written.bytes + [1, 2]) == written)
    let refused = Received(.refused(.unknown, Self.failure))
    #expect(try decoded([2, 99] + refused.bytes.dropFirst(2)) == refused)
    // The fields of another version are not read.
    #expect(try decoded([64, 9, 0, 0, 0]) == Received(.hello(version: 9, LinkRequest(bus: "", tag: ""))))
  }

  @Test("have no payloads and texts beyond the limits")
  func tooLong() {
    withPayload(4097) { payload in
      for message in Self.all(payload) where message.payload != nil {
        #expect(throws: MalformedMessage.self) { try decoded(Received(message).bytes) }
      }
    }
    #expect(throws: MalformedMessage.self) {
      try decoded([12, 1, 2] + [UInt8](repeating: UInt8(ascii: "a"), count: 513))
    }
  }

  @Test("contain texts of up to 512 bytes, cut off after a whole character")
  func clampedTexts() throws {
    for (text, count) in [
      (String(repeating: "a", count: 512), 512), (String(repeating: "a", count: 600), 512),
      (String(repeating: "ü", count: 256), 512), ("a" + String(repeating: "ü", count: 300), 511),
      ("ab" + String(repeating: "€", count: 300), 512), (String(repeating: "😀", count: 200), 512),
      ("abc" + String(repeating: "😀", count: 200), 511), ("", 0),
    ] {
      let bytes = Received(.name(text)).bytes
      #expect(bytes.count == 3 + count)
      try bytes.withUnsafeBytes {
        guard case .name(let name)? = try ServiceMessage($0) else { throw MalformedMessage() }
        #expect(text.hasPrefix(name))
        #expect(name.utf8.count == count)
      }
    }
  }

  @Test("with invalid text are repaired")
  func invalidText() throws {
    try ([ServiceMessageKind.name.rawValue, 3, 0, 0x61, 0xff, 0x62] as [UInt8]).withUnsafeBytes {
      guard case .name(let name)? = try ServiceMessage($0) else { throw MalformedMessage() }
      #expect(name == "a\u{fffd}b")
    }
  }

  @Test("are sent to the side that understands them")
  func direction() {
    withPayload(1) { payload in
      for message in Self.all(payload) {
        let isFromProgram =
          switch message {
          case .hello, .request, .withdraw, .rawRequest, .reserve, .release, .bound, .disconnect: true
          default: false
          }
        #expect(message.kind.isFromService == !isFromProgram)
      }
    }
  }
}
