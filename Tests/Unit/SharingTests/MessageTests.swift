import Testing

@testable import Sharing

@Suite("Messages")
struct MessageTests {
  /// One record of each kind, with numbers and texts that older and newer versions may send.
  private static func records(_ payload: [UInt8] = []) -> [[UInt8]] {
    var records: [[UInt8]] = []
    for kind in 0...255 as ClosedRange<UInt8> {
      for (numbers, texts) in [(0, 0), (0, 2), (1, 0), (1, 7), (3, 1), (20, 0), (20, 7)] as [(UInt8, UInt8)] {
        var record = [kind, numbers, texts]
        record += Array(0..<4 * numbers)
        for text in 0..<texts { record += [2, 0, 0x61, 0x62 + text] }
        records.append(record + payload)
      }
    }
    return records
  }

  private func service(_ bytes: [UInt8]) throws -> Record? {
    try bytes.withUnsafeBytes { (bytes) throws in try ServiceMessage(bytes).map { Record($0) } }
  }

  private func program(_ bytes: [UInt8]) throws -> Record? {
    try bytes.withUnsafeBytes { (bytes) throws in try ProgramMessage(bytes).map { Record($0) } }
  }

  @Test("are the same after they were sent", arguments: [0, 1, 20, 1024, 4096])
  func roundTrip(_ count: Int) throws {
    var kinds: Set<UInt8> = []
    for bytes in Self.records([UInt8](repeating: 7, count: count)) {
      let received = (try service(bytes), try program(bytes))
      #expect(received.0 == nil || received.1 == nil)
      guard let record = received.0 ?? received.1 else { continue }
      #expect(record.kind == bytes[0])
      #expect(try service(record.bytes) ?? program(record.bytes) == record)
      kinds.insert(record.kind)
    }
    #expect(kinds == Set(1...5).union(7...25).union(64...73))
  }

  /// Programs and services of other releases use these bytes.
  @Test("have these bytes in all releases with version 1 of the protocol")
  func bytes() throws {
    #expect(Version.current.rawValue == 1)
    withPayload(2) { payload in
      #expect(
        Record(
          ServiceMessage.notification(.init(arrival: 0x0102_0304_0506_0708, mayBeCopy: true, packet: payload))
        ).bytes == [5, 3, 0, 8, 7, 6, 5, 4, 3, 2, 1, 1, 0, 0, 0, 7, 7])
    }
    #expect(
      Record(ServiceMessage.welcome(.init(version: 1, process: 258))).bytes == [1, 2, 0, 1, 0, 0, 0, 2, 1, 0, 0])
    let refused = Record(ServiceMessage.refused(.init(refusal: .full, error: .init(code: -1, message: "ü"))))
    let error: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(refused.bytes == [2, 5, 2, 3, 0, 0, 0] + error + [2, 0, 0xc3, 0xbc, 0, 0] as [UInt8])
    let hello = Record(
      ProgramMessage.hello(
        .init(
          version: 1, isBound: true, hasSetMode: true, streamingVendor: 2, streamingProduct: 3, purpose: .link,
          bus: "b", tag: "t", adapter: "", code: "c")))
    let numbers: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]
    #expect(hello.bytes == [64, 6, 4] + numbers + [1, 0, 0x62, 1, 0, 0x74, 0, 0, 1, 0, 0x63] as [UInt8])
    #expect(Record(ProgramMessage.disconnect).bytes == [71, 0, 0])
    #expect(Purpose.allCases.map(\.rawValue) == Array(1...5))
    #expect(Refusal.allCases.map(\.rawValue) == Array(1...5))
  }

  @Test("that are incomplete are malformed, unless their payload is incomplete")
  func truncated() throws {
    for bytes in Self.records() {
      for count in 0..<bytes.count {
        #expect(throws: MalformedMessage.self) { try service(Array(bytes.prefix(count))) }
        #expect(throws: MalformedMessage.self) { try program(Array(bytes.prefix(count))) }
      }
    }
  }

  @Test("of unknown kinds are ignored, and so are unknown fields; those that are missing are 0 and empty")
  func newer() throws {
    for kind in [0, 6, 26, 60, 63, 74, 255] as [UInt8] {
      #expect(try service([kind, 0, 0, 3]) == nil)
      #expect(try program([kind, 0, 0, 3]) == nil)
    }
    #expect(try service([11, 2, 1, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0x61]) == .service(.written(.init(id: 9))))
    #expect(try service([2, 0, 0]) == .service(.refused(.init())))
    #expect(try program([64, 1, 0, 7, 0, 0, 0]) == Record(ProgramMessage.hello(.init(version: 7))))
  }

  @Test("have no purposes and refusals of other versions")
  func unknownValues() throws {
    let hello = try ([64, 6, 0] + [UInt8](repeating: 9, count: 24)).withUnsafeBytes { try ProgramMessage($0) }
    guard case .hello(let hello) = try #require(hello) else { return #expect(Bool(false)) }
    #expect(hello.isBound)
    #expect(hello.purpose == nil)
  }

  @Test("have no payloads and texts beyond the limits")
  func tooLong() {
    for bytes in Self.records([UInt8](repeating: 7, count: 4097)) {
      #expect(throws: MalformedMessage.self) { try service(bytes) }
      #expect(throws: MalformedMessage.self) { try program(bytes) }
    }
    #expect(throws: MalformedMessage.self) {
      try service([14, 0, 1, 1, 2] + [UInt8](repeating: UInt8(ascii: "a"), count: 513))
    }
  }

  private func name(_ bytes: [UInt8]) throws -> String? {
    try bytes.withUnsafeBytes { (bytes) throws in
      guard case .name(let message) = try ServiceMessage(bytes) else { return nil }
      return message.name
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
      let bytes = Record(ServiceMessage.name(.init(name: text))).bytes
      #expect(bytes.count == 5 + count)
      let received = try #require(try name(bytes))
      #expect(text.hasPrefix(received))
      #expect(received.utf8.count == count)
    }
  }

  @Test("with invalid text are repaired")
  func invalidText() throws { #expect(try name([14, 0, 1, 3, 0, 0x61, 0xff, 0x62]) == "a\u{fffd}b") }
}
