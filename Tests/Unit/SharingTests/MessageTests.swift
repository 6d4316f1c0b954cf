import Testing

@testable import Sharing

@Suite("Messages")
struct MessageTests {
  private static let texts = ["", "Grüße.", String(repeating: "a", count: 512)]

  /// One of each kind, with each combination of no and some numbers and texts.
  private static func all(_ payload: UnsafeRawBufferPointer) -> [ServiceMessage] {
    (0...255).compactMap(ServiceMessage.Kind.init).flatMap { kind in
      [[], [7, .max, 0]].flatMap { numbers in
        [[], texts].map { ServiceMessage(kind, numbers, $0, payload: payload) }
      }
    }
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
        try sent.bytes.withUnsafeBytes {
          let received = try #require(try ServiceMessage($0))
          #expect(received.numbers == message.numbers)
          #expect(received.texts == message.texts)
          #expect(received.payload.elementsEqual(payload))
        }
      }
    }
  }

  @Test("have these bytes")
  func bytes() throws {
    try withPayload(2) { (payload) throws in
      #expect(
        Received(ServiceMessage(.hello, [1, 0x0102_0304], ["ü", ""], payload: payload)).bytes
          == [64, 2, 2, 1, 0, 0, 0, 4, 3, 2, 1, 2, 0, 0xc3, 0xbc, 0, 0, 7, 7])
    }
    #expect(Received(ServiceMessage(.disconnect)).bytes == [71, 0, 0])
  }

  /// Programs and services of other releases use these numbers.
  @Test("have the same numbers in all releases with version 1 of the protocol")
  func kinds() {
    let fromService: [ServiceMessage.Kind] = [
      .welcome, .refused, .state, .tagInfo, .notification, .possibleCopy, .gear, .rawPacket, .rawValue, .streamValue,
      .written, .response, .failed, .name, .touchMode, .signalStrength, .dropped, .copies, .interrupted, .log, .granted,
      .busy, .unbound,
    ]
    let fromProgram: [ServiceMessage.Kind] = [
      .hello, .request, .withdraw, .rawRequest, .reserve, .release, .bound, .disconnect, .rawData, .ping,
    ]
    #expect(ServiceMessage.version == 1)
    #expect(fromService.map(\.rawValue) == Array(1...23))
    #expect(fromProgram.map(\.rawValue) == Array(64...72))
  }

  @Test("that are incomplete are malformed, unless their payload is incomplete")
  func truncated() throws {
    try withPayload(3) { (payload) throws in
      for message in Self.all(payload) {
        let sent = Received(message)
        for count in 0..<sent.bytes.count - payload.count {
          #expect(throws: MalformedMessage.self) { try decoded(Array(sent.bytes.prefix(count))) }
        }
      }
    }
  }

  @Test("of unknown kinds are ignored, and unknown fields do no harm; those that are missing are 0 and empty")
  func newer() throws {
    for kind in [0, 60, 63, 80, 255] as [UInt8] { #expect(try decoded([kind, 0, 0, 3]) == nil) }
    let written = ServiceMessage(.written, [9, 1, 2], ["new"])
    #expect(written.number() == 9)
    #expect(written.number(3) == 0)
    #expect(written.text(1) == "")
  }

  @Test("have no payloads and texts beyond the limits")
  func tooLong() {
    withPayload(4097) { payload in
      for message in Self.all(payload) {
        #expect(throws: MalformedMessage.self) { try decoded(Received(message).bytes) }
      }
    }
    #expect(throws: MalformedMessage.self) {
      try decoded([14, 0, 1, 1, 2] + [UInt8](repeating: UInt8(ascii: "a"), count: 513))
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
      let bytes = Received(ServiceMessage(.name, [], [text])).bytes
      #expect(bytes.count == 5 + count)
      try bytes.withUnsafeBytes {
        let name = try #require(try ServiceMessage($0)).text()
        #expect(text.hasPrefix(name))
        #expect(name.utf8.count == count)
      }
    }
  }

  @Test("with invalid text are repaired")
  func invalidText() throws {
    let name = try ([14, 0, 1, 3, 0, 0x61, 0xff, 0x62] as [UInt8]).withUnsafeBytes { try ServiceMessage($0)?.text() }
    #expect(name == "a\u{fffd}b")
  }

  @Test("are sent to the side that understands them")
  func direction() {
    let ofPrograms: [ServiceMessage.Kind] = [
      .hello, .request, .withdraw, .rawRequest, .reserve, .release, .bound, .disconnect, .rawData, .ping,
    ]
    for kind in (0...255).compactMap(ServiceMessage.Kind.init) {
      #expect(kind.isFromService == !ofPrograms.contains(kind))
    }
  }
}
