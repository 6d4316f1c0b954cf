import JacquardWire
import TestWorld
import Testing

@Suite("Messages from unknown firmware")
struct TolerantDecodingTests {
  func response(_ bytes: String) throws -> WireResponse {
    try hex(bytes).withUnsafeBytes { try WireResponse(packet: $0) }
  }

  func notification(_ bytes: String) throws -> WireNotification {
    try hex(bytes).withUnsafeBytes { try WireNotification(packet: $0) }
  }

  @Test("an unknown status keeps its number and its message", arguments: [15, 42, 127] as [UInt8])
  func unknownStatus(_ status: UInt8) throws {
    let packet: [UInt8] = [0x08, 0x01, 0x10, status, 0x18, 0x00]
    let response = try packet.withUnsafeBytes { try WireResponse(packet: $0) }
    #expect(response.id == 1)
    #expect(response.status == UInt32(status))
  }

  @Test("a payload with unknown domain and opcode is kept") func unknownDomain() throws {
    let notification = try notification("08 63 10 62 aa 39 04 0a 02 08 07")
    #expect(notification.command == Command(domain: 99, opcode: 98))
    #expect(notification.data.inferenceData.event == Gesture.cover.rawValue)
  }

  @Test("unknown numbers in payloads are kept") func unknownPayloadNumbers() throws {
    #expect(try response("08 01 10 00 ca 3e 02 08 63").start.dcStatus == 99)
    #expect(try response("08 01 10 00 ca 07 02 10 09").batteryStatusResponse.chargingStatus == 9)
    #expect(try response("08 01 10 00 da 38 02 08 09").data.inference == 9)
    #expect(try notification("08 00 10 12 82 4b 02 08 0f").loadModuleNotif.status == 15)
    #expect(try notification("08 01 10 04 e2 0c 02 30 0f").dfuExecuteUpdateNotif.status == 15)
  }

  @Test("a nested message may lack required fields") func missingNestedFields() throws {
    let response = try response("08 01 10 00 a2 06 02 08 02")
    #expect(response.hello.protocolMin == 2)
    #expect(!response.hello.hasProtocolMax)
    #expect(try notification("08 09 10 03 aa 07 02 18 00").errorNotification.hasErrorcode)
  }

  @Test("a name that is truncated within a character loses neither the message nor the name") func cutName() throws {
    let configuration = try response("08 01 10 00 ea 44 09 12 07 0a 03 61 62 c3 50 0e").configResponse.bleConfig
    #expect(configuration.customAdvName == "ab\u{fffd}")
    #expect(configuration.notifQueueDepth == 14)
  }

  @Test("text that is not UTF-8 is repaired, and the message is kept") func foreignText() throws {
    let info = try response("08 01 10 00 ba 06 0b 0a 03 61 e9 62 12 02 c3 28 38 07").deviceInfo
    #expect(info.vendor == "a\u{fffd}b")
    #expect(info.model == "\u{fffd}(")
    #expect(info.firmwarePoint == 7)
    let element = try response("08 01 10 00 da 07 06 0a 04 4a 02 ff 00").configGetResponse.config
    #expect(element.stringVal == "\u{fffd}\0")
  }

  @Test("a request reports whether its text was repaired") func repairedRequest() throws {
    func isRepaired(_ bytes: String) throws -> Bool {
      try hex(bytes).withUnsafeBytes { try WireRequest(packet: $0) }.hasRepairedText(of: hex(bytes))
    }
    #expect(try isRepaired("08 00 10 18 18 01 da 07 03 1a 01 ff"))
    #expect(try !isRepaired("08 00 10 18 18 01 da 07 05 1a 03 ef bf bd"))
    #expect(try !isRepaired("08 00 10 18 18 01 da 07 03 1a 01 6b"))
  }

  @Test("an absent name differs from an empty one") func absentName() {
    var configuration = WireBleConfiguration()
    #expect(!configuration.hasCustomAdvNameUtf8)
    configuration.customAdvName = ""
    #expect(configuration.hasCustomAdvNameUtf8)
    configuration.fields.clear(1)
    #expect(!configuration.hasCustomAdvNameUtf8)
  }

  @Test("an absent field differs from zero") func presence() throws {
    #expect(try response("08 01 10 00").hasComponentID == false)
    #expect(try response("08 01 10 00 18 00").hasComponentID)
    #expect(try response("08 01 10 00").hasBegin == false)
    #expect(try response("08 01 10 00 aa 06 00").hasBegin)
  }

  @Test("fields may come in any order, and unknown ones are skipped") func order() throws {
    let response = try response("aa 06 00 c2 3e 01 ff 18 05 10 02 fa ff ff ff 0f 00 08 09")
    #expect(response.id == 9)
    #expect(response.status == 2)
    #expect(response.componentID == 5)
    #expect(response.hasBegin)
  }

  @Test("an envelope without its required fields is refused, with their names") func missingEnvelopeFields() {
    #expect(throws: PacketError.missing(field: "status")) { try response("08 01") }
    #expect(throws: PacketError.missing(field: "id")) { try response("10 00") }
    for (bytes, field) in [("10 01 18 01", "domain"), ("08 00 18 01", "opcode"), ("08 00 10 01", "id")] {
      #expect(throws: PacketError.missing(field: field)) {
        try hex(bytes).withUnsafeBytes { try WireRequest(packet: $0) }
      }
    }
  }

  @Test(
    "bytes that are not a message are refused",
    arguments: ["08", "08 ff ff ff ff ff ff ff ff ff ff 01", "07 00", "a2 06 05 08"])
  func malformed(_ bytes: String) {
    #expect(throws: PacketError.malformed) { try response(bytes) }
    #expect(throws: PacketError.malformed) { try notification(bytes) }
  }

  @Test("a touch needs exactly 13 bytes", arguments: 0...20) func touch(_ count: Int) throws {
    let data = WireTouchData.with {
      $0.sequence = 3
      $0.diffDataScaled = .init((0..<count).map(UInt8.init))
    }
    let frame = TouchFrame(data)
    #expect((frame != nil) == (count == 13))
    guard let frame else { return }
    #expect(frame.sequence == 3)
    #expect(frame.proximity == 0)
    #expect(frame.lines.indices.map { frame.lines[$0] } == Array(1...12))
  }

  @Test("a raw packet is data unless it consists of the mark alone") func rawPackets() {
    func parse<Result>(_ bytes: String, _ body: (RawDataPacket?) -> Result) -> Result {
      hex(bytes).withUnsafeBytes { body(RawDataPacket($0)) }
    }
    #expect(parse("") { $0 == nil })
    #expect(parse("05") { $0 == nil })
    #expect(parse("05 41") { $0?.looksLikeAcknowledgement } == true)
    #expect(parse("05 42") { $0?.looksLikeAcknowledgement } == false)
    #expect(parse("05 41 41") { $0?.looksLikeAcknowledgement } == false)
    #expect(parse("ff 41 42") { $0.map { Array($0.payload) } } == hex("41 42"))
    #expect(parse("ff 41 42") { $0?.acknowledgement } == hex("ff 41"))
  }
}
