import Testing

@testable import TagSimulator

/// The tag's bytes, value for value as in the protocol's examples; "captured" ones were recorded from a real tag.
@Suite("The tag responds byte for byte") struct ExampleBytesTests {
  @Test("to hello, as captured") func hello() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    fixture.command(Example.hello)
    #expect(
      fixture.values(.response) == [
        "c0 2b 08 01 10 00 18 00 a2 06 22 08 02 10 02 1a 0b 47 6f 6f 67 6c 65 20 49 6e 63 2e 22 03 55 4a 54 30 c8 e1 "
          + "e0 8b 01 38 a0 cf ef c1 02"
      ])
    #expect(fixture.breaches.isEmpty)
  }

  @Test("to begin, as captured") func begin() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    fixture.command(Example.hello)
    _ = fixture.values(.response)
    fixture.command(Example.begin)
    #expect(fixture.values(.response) == ["c0 09 08 02 10 00 18 00 aa 06 00"])
  }

  @Test("to device info, in two fragments") func deviceInfo() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    fixture.command(Example.hello)
    fixture.command(Example.begin)
    _ = fixture.values(.response)
    fixture.tag.profile.uuid = "0-07-0000AAAAA00000-0000"
    fixture.command(Example.deviceInfo)
    #expect(
      fixture.values(.response) == [
        "80 4f 08 03 10 00 18 00 ba 06 46 0a 0b 47 6f 6f 67 6c 65 20 49 6e 63 2e 12 03 55 4a 54 18 04 22 18 30 2d 30 "
          + "37 2d 30 30 30 30 41 41 41 41 41 30 30 30 30 30 2d 30 30 30 30 28 01 30 60",
        "41 38 00 40 01 48 00 50 00 58 c8 e1 e0 8b 01 60 a0 cf ef c1 02",
      ])
  }

  @Test("to a configuration write, with the whole block") func configWrite() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    for request in Example.setUp.dropLast() { fixture.command(request) }
    _ = fixture.values(.response)
    fixture.command(Example.queueDepth14)
    #expect(
      fixture.values(.response) == [
        "80 3c 08 04 10 00 18 00 ea 44 33 12 31 0a 0d 4a 61 63 71 75 61 72 64 2d 30 30 30 30 10 f4 ff ff ff ff ff ff "
          + "ff ff 01 18 00 25 00 00 a0 41 28 3c 35 00 a0 a0 44 38 3c 40 06 48 90 03 50",
        "41 0e",
      ])
  }

  @Test("to the battery request, and notifies it after connecting, as captured") func battery() throws {
    let fixture = try SoftwareTagFixture()
    fixture.tag.battery = SimulatedBattery(level: 50, charging: false)
    fixture.connect()
    #expect(fixture.values(.notification) == ["c0 0d 08 00 10 17 18 00 ca 07 04 08 32 10 02"])
    for request in Example.setUp { fixture.command(request) }
    _ = fixture.values(.response)
    fixture.tag.battery = SimulatedBattery(level: 49, charging: false)
    fixture.command(Example.battery)
    #expect(fixture.values(.response) == ["c0 0d 08 05 10 00 18 00 ca 07 04 08 31 10 02"])
  }

  @Test("when gear is attached, as captured, and detached") func attach() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.attach(#require(Gear.named("saint-laurent-backpack")), component: nil))
    try fixture.tag.perform(.detach)
    #expect(
      fixture.values(.notification) == [
        "c0 19 08 00 10 09 18 00 ea 06 10 08 01 10 92 c2 de da 0f 18 b0 f1 e1 e6 05 20 65",
        "c0 0b 08 00 10 09 18 00 ea 06 02 08 00",
      ])
  }

  @Test("to the touch mode, then gestures and touch") func touch() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(#require(Gear.named("saint-laurent-backpack")), component: 101))
    fixture.setUp()
    fixture.command(Example.gestureMode)
    #expect(fixture.values(.response) == ["c0 0d 08 06 10 00 18 65 da 38 04 08 01 10 00"])
    try fixture.tag.perform(.gesture(1))
    try fixture.tag.perform(.gesture(7))
    #expect(
      fixture.values(.notification) == [
        "c0 0d 08 08 10 07 18 65 aa 39 04 0a 02 08 01", "c0 0d 08 08 10 07 18 65 aa 39 04 0a 02 08 07",
      ])
    fixture.command(Example.continuousMode)
    try fixture.tag.perform(.touch([2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))
    #expect(
      fixture.values(.notification) == [
        "c0 1c 08 08 10 07 18 65 aa 39 13 12 11 20 01 3a 0d 02 01 02 03 04 05 06 07 08 09 0a 0b 0c"
      ])
    try fixture.tag.perform(.gesture(1))
    #expect(fixture.values(.notification).isEmpty, "gestures are off in continuous mode")
    #expect(fixture.breaches.isEmpty)
  }

  @Test("to a custom configuration that was set earlier") func customConfiguration() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.command(
      "c0 2a 08 00 10 19 18 0f d2 07 21 08 c8 e1 e0 8b 01 10 88 b7 f9 f9 0e 1a 13 0a 0f 63 75 72 72 65 6e 74 5f 64 63 "
        + "5f 6d 6f 64 65 28 01")
    #expect(fixture.values(.response) == ["c0 06 08 0f 10 00 18 00"])
    fixture.command(
      "c0 26 08 00 10 18 18 10 da 07 1d 08 c8 e1 e0 8b 01 10 88 b7 f9 f9 0e 1a 0f 63 75 72 72 65 6e 74 5f 64 63 5f 6d "
        + "6f 64 65")
    #expect(
      fixture.values(.response) == [
        "c0 1e 08 10 10 00 18 00 da 07 15 0a 13 0a 0f 63 75 72 72 65 6e 74 5f 64 63 5f 6d 6f 64 65 28 01"
      ])
  }

  @Test("when it lists and loads modules") func modules() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.command("c0 06 08 00 10 14 18 11")
    #expect(
      fixture.values(.response) == [
        "c0 2a 08 11 10 00 18 00 92 4b 21 0a 1f 0a 03 49 4d 55 10 c8 e1 e0 8b 01 18 88 b7 f9 f9 0e 20 d3 ce af e8 03 "
          + "28 00 30 11 38 00 40 00"
      ])
    fixture.command(Example.loadModule)
    #expect(fixture.values(.response) == ["c0 06 08 12 10 00 18 00"])
    #expect(
      fixture.values(.notification) == ["c0 13 08 00 10 12 18 00 82 4b 0a 08 00 12 06 20 d3 ce af e8 03"])
  }

  @Test("about the recorder: status, start, and the end of an erase") func recorder() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.command(Example.loadModule)
    _ = (fixture.values(.response), fixture.values(.notification))
    fixture.command("c0 09 08 09 10 03 18 13 da 3e 00")
    #expect(fixture.values(.response) == ["c0 0b 08 13 10 00 18 00 da 3e 02 08 00"])
    fixture.command(
      "80 4c 08 09 10 01 18 15 ca 3e 43 0a 41 0a 0c 49 4d 55 5f 43 61 6d 70 61 69 67 6e 12 09 49 4d 55 5f 47 72 6f 75 "
        + "70 1a 0a 31 37 30 30 30 30 30 30 30 30 22 0b 49 4d 55 5f 53 75 62 6a 65")
    fixture.command("41 63 74 28 01 4a 0b 49 4d 55 5f 50 72 6f 64 75 63 74")
    #expect(fixture.values(.response) == ["c0 0b 08 15 10 00 18 00 ca 3e 02 08 01"])
    fixture.command("c0 0b 08 09 10 02 18 16 d2 3e 02 08 01")
    fixture.command("c0 09 08 09 10 07 18 17 82 3f 00")
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.values(.notification) == ["c0 0d 08 09 10 03 18 00 aa 07 04 10 01 18 00"])
    #expect(fixture.breaches.isEmpty)
  }

  @Test("when it lists a session") func sessionList() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.command(Example.loadModule)
    _ = fixture.values(.notification)
    fixture.tag.recorder.sessions = [
      .init(
        campaign: "jqCampaign", group: "jqSession", trial: "1627344030", subject: "jqSession", product: "jqProduct",
        file: fileOfExample())
    ]
    fixture.command("c0 09 08 09 10 04 18 17 e2 3e 00")
    #expect(
      fixture.values(.notification) == [
        "80 54 08 09 10 04 18 00 e2 3e 4b 12 45 0a 0a 31 36 32 37 33 34 34 30 33 30 12 15 0a 09 6a 71 53 65 73 73 69 "
          + "6f 6e 12 08 08 00 18 d4 16 20 9a 06 1a 0a 6a 71 43 61 6d 70 61 69 67 6e 22",
        "41 09 6a 71 53 65 73 73 69 6f 6e 2a 09 6a 71 50 72 6f 64 75 63 74 18 01 20 00",
      ])
  }

  /// 2900 bytes whose checksum is that of the recording in the example, 0x031a.
  private func fileOfExample() -> [UInt8] {
    var file = [UInt8](repeating: 0x55, count: 2898)
    // Two more bytes can change any CRC to any value: they cancel the current value and set the desired one.
    let wanted: UInt16 = 0x031a
    let soFar = Checksum.crc16(file)
    for candidate in UInt16.min...UInt16.max {
      let tail = [UInt8(candidate >> 8), UInt8(candidate & 0xff)]
      if Checksum.crc16(tail, continuing: soFar) == wanted {
        file += tail
        break
      }
    }
    return file
  }

  @Test("during a firmware update") func firmware() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.command("c0 1e 08 01 10 02 18 1a ca 0c 15 08 00 10 80 02 18 d5 fc 01 20 c8 e1 e0 8b 01 28 a0 cf ef c1 02")
    #expect(fixture.values(.response) == ["c0 06 08 1a 10 00 18 00"])
    for value in firstHalf() { fixture.command(value) }
    _ = fixture.values(.response)
    fixture.command("c0 15 08 01 10 01 18 19 c2 0c 0c 08 c8 e1 e0 8b 01 10 a0 cf ef c1 02")
    #expect(
      fixture.values(.response) == [
        "c0 19 08 19 10 00 18 00 c2 0c 10 08 00 10 80 02 18 d5 fc 01 20 80 01 28 8a d0 03"
      ])
    fixture.command(
      "80 90 01 08 01 10 03 18 1b d2 0c 86 01 08 80 01 12 80 01 " + hex(0x80...0xa9))
    fixture.command("01 " + hex(0xaa...0xe5))
    fixture.command("42 " + hex(0xe6...0xff))
    #expect(fixture.values(.response) == ["c0 10 08 1b 10 00 18 00 d2 0c 07 08 80 02 10 d5 fc 01"])
    fixture.command("c0 17 08 01 10 04 18 1c da 0c 0e 08 c8 e1 e0 8b 01 10 a0 cf ef c1 02 18 00")
    #expect(fixture.values(.response) == ["c0 06 08 1c 10 00 18 00"])
    #expect(fixture.breaches.isEmpty)
  }

  /// The write at offset 0 with 128 bytes of data.
  private func firstHalf() -> [String] {
    let packet = bytes(hex: "08 01 10 03 18 0b d2 0c 85 01 08 00 12 80 01")! + (0..<128).map { UInt8($0) }
    return FragmentCutter.cut(packet, capacity: 61).map { hex($0) }
  }

  @Test("when gear has been flashed") func gearFlashed() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    var gear = try #require(Gear.named("saint-laurent-backpack"))
    gear.firmware = Version(1, 2, 3)
    fixture.tag.notifyFlashed(gear)
    #expect(
      fixture.values(.notification) == [
        "c0 1d 08 01 10 04 18 00 e2 0c 14 08 92 c2 de da 0f 10 b0 f1 e1 e6 05 18 01 20 02 28 03 30 00"
      ])
  }

  @Test("with only a status if a parameter is bad, and to an ID of two bytes") func bareStatus() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    // begin with protocol 3
    fixture.command("c0 0b 08 00 10 02 18 1d aa 06 02 08 03")
    #expect(fixture.values(.response) == ["c0 06 08 1d 10 02 18 00"])
    // fault log clear, id 200
    fixture.command("c0 07 08 00 10 1e 18 c8 01")
    #expect(fixture.values(.response) == ["c0 07 08 c8 01 10 00 18 00"])
    #expect(fixture.breaches == [.protocolVersion])
  }

  @Test(
    "with serial numbers packed as tags advertise them",
    arguments: [
      ("0023", "00 20 0c 3f"), ("0086", "00 80 18 3f"), ("01ZK", "40 30 52 3f"), ("A-z9", "8a df 27 3f"),
      ("Abc", "4a 69 fe"),
    ]) func serial(serial: String, packed: String)
  {
    #expect(hex(SimulatedSerialNumber.pack(serial)) == packed)
  }

  @Test(
    "in fragments of the sizes in the table",
    arguments: [
      (1, "c0", [1]), (58, "c0", [58]), (59, "c0", [59]), (60, "80 41", [59, 1]), (118, "80 41", [59, 59]),
      (119, "80 41", [59, 60]), (127, "80 01 42", [59, 60, 8]), (128, "80 01 42", [58, 60, 10]),
      (187, "80 01 02 43", [58, 60, 60, 9]),
    ]) func fragments(length: Int, headers: String, sizes: [Int])
  {
    let packet = (0..<length).map { UInt8($0 & 0xff) }
    let values = FragmentCutter.cut(packet, capacity: 61)
    #expect(hex(values.map { $0[0] }) == headers)
    let prefix = length > 127 ? 2 : 1
    #expect(values.enumerated().map { $1.count - 1 - ($0 == 0 ? prefix : 0) } == sizes)
  }

  @Test("a packet of 1024 bytes in 18 fragments, the empty one in none") func largestPacket() {
    let values = FragmentCutter.cut([UInt8](repeating: 7, count: 1024), capacity: 61)
    #expect(values.count == 18)
    #expect(hex(values[0].prefix(3)) == "80 80 08")
    #expect(values[17].count == 7 && values[17][0] == 0x51)
    #expect(FragmentCutter.cut([], capacity: 61).isEmpty)
  }
}
