import JacquardWire
import TestWorld
import Testing
import WireFormat

@testable import TagSimulator

@Suite("The software tag") struct SoftwareTagTests {
  /// Writes a request in fragments and returns the response.
  @discardableResult
  func ask(
    _ fixture: SoftwareTagFixture, _ domain: UInt32, _ opcode: UInt32, id: UInt32 = 9, component: UInt32? = nil,
    _ fill: (inout WireRequest) -> Void = { _ in }
  ) throws -> WireResponse? {
    var request = WireRequest()
    request.domain = domain
    request.opcode = opcode
    request.id = id
    if let component { request.componentID = component }
    fill(&request)
    _ = fixture.values(.response)
    for value in FragmentCutter.cut(request.serializedBytes(), capacity: 61) {
      fixture.write(hex(value), to: .command)
    }
    return try packets(fixture, .response).first.map { try WireResponse(serializedBytes: $0) }
  }

  // MARK: - Muted tags

  @Test("sends only what the scenario sends while it is muted") func mute() throws {
    let fixture = try SoftwareTagFixture { $0.isMute = true }
    fixture.connect()
    for request in Example.setUp { fixture.command(request) }
    #expect(!fixture.values(.response).isEmpty)
    try fixture.tag.perform(.attach(Gear.known[0], component: nil))
    try fixture.tag.perform(.battery(3, charging: nil))
    #expect(try notifications(fixture).isEmpty)
    try fixture.tag.perform(.sendPacket(.notification, [8, 0, 16, 23]))
    try fixture.tag.perform(.send(.rawData, [0xc0, 2, 9, 9]))
    #expect(packets(fixture, .notification) == [[8, 0, 16, 23]])
    fixture.write("c0 02 09 41", to: .rawData)
    #expect(fixture.breaches.isEmpty)
    try fixture.tag.perform(.mute(false))
    try fixture.tag.perform(.battery(4, charging: nil))
    #expect(try notifications(fixture).map(\.batteryStatusNotification.batteryLevel) == [4])
  }

  @Test("takes its state from packets sent by a scenario") func reported() throws {
    let fixture = try SoftwareTagFixture { $0.isMute = true }
    fixture.setUp()
    let gear = Gear.known[0]
    var reported = WireNotification()
    reported.attached.attachState = true
    reported.attached.vendorID = gear.vendorID
    reported.attached.productID = gear.productID
    reported.attached.componentID = 7
    reported.batteryStatusNotification.batteryLevel = 12
    reported.batteryStatusNotification.chargingStatus = 1
    try fixture.tag.perform(.sendPacket(.notification, reported.serializedBytes()))
    #expect(fixture.tag.attachment?.gear == gear)
    #expect(fixture.tag.attachment?.componentID == 7)
    #expect(fixture.tag.battery == SimulatedBattery(level: 12, charging: true))
    reported = WireNotification()
    reported.attached.attachState = false
    try fixture.tag.perform(.sendPacket(.notification, reported.serializedBytes()))
    #expect(fixture.tag.attachment == nil)
    #expect(fixture.tag.battery.level == 12)
    try fixture.tag.perform(.sendPacket(.notification, [0xff]))
  }

  @Test("fragments a scenario's packet like its own") func longPacket() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    let packet = (0..<1024).map { UInt8($0 & 0xff) }
    try fixture.tag.perform(.sendPacket(.notification, packet))
    #expect(fixture.heard.count == 18)
    #expect(packets(fixture, .notification) == [packet])
  }

  // MARK: - Links

  @Test("sends its greeting at the time in its profile", arguments: TagBehaviour.Greeting.allCases)
  func greeting(moment: TagBehaviour.Greeting) throws {
    let fixture = try SoftwareTagFixture { $0.behaviour.greeting = moment }
    try fixture.tag.perform(.attach(Gear.known[0], component: nil))
    fixture.connect()
    #expect(fixture.values(.notification).count == (moment == .subscribed ? 2 : 0))
    fixture.command(Example.hello)
    fixture.command(Example.begin)
    #expect(fixture.values(.notification).count == (moment == .begun ? 2 : 0))
    fixture.command(Example.deviceInfo)
    fixture.command(Example.queueDepth14)
    #expect(fixture.values(.notification).count == (moment == .configured ? 2 : 0))
  }

  @Test("starts again with each link") func newLink() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.command("80 06 08 00")
    fixture.tag.linkDown()
    fixture.connect()
    fixture.command(Example.hello)
    #expect(fixture.breaches.isEmpty, "the open packet of the old link is forgotten")
    fixture.command(Example.battery)
    #expect(fixture.breaches == [.beforeBegin])
  }

  @Test("lets a host that takes over an existing link start again") func takeOver() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    for request in Example.setUp { fixture.command(request) }
    #expect(fixture.breaches.isEmpty)
    #expect(fixture.values(.response).count == 6)
  }

  @Test("fragments its values for a small MTU") func smallMTU() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect(capacity: 20)
    fixture.command(Example.hello)
    let values = fixture.values(.response)
    #expect(values.count == 3)
    #expect(values.allSatisfy { $0.split(separator: " ").count <= 20 })
    #expect(fixture.breaches.isEmpty)
  }

  @Test("does not advertise while connected, disabled, asleep, out of range or rebooting") func advertising() throws {
    let fixture = try SoftwareTagFixture()
    #expect(fixture.tag.isAdvertising)
    fixture.connect()
    #expect(!fixture.tag.isAdvertising)
    fixture.tag.linkDown()
    for (on, off) in [
      (TagAction.advertise(false), TagAction.advertise(true)), (.inRange(false), .inRange(true)), (.sleep, .move),
    ] {
      try fixture.tag.perform(on)
      #expect(!fixture.tag.isAdvertising)
      try fixture.tag.perform(off)
      #expect(fixture.tag.isAdvertising)
    }
    try fixture.tag.perform(.reboot)
    #expect(!fixture.tag.isAdvertising)
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.tag.isAdvertising)
  }

  @Test("sleeps after ten minutes without use, and motion wakes it") func sleep() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.time.advance(by: .seconds(599))
    fixture.command(Example.battery)
    fixture.time.advance(by: .seconds(599))
    #expect(fixture.drops == 0)
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.drops == 1)
    #expect(!fixture.tag.isAdvertising)
    try fixture.tag.perform(.move)
    #expect(fixture.tag.isAdvertising)
  }

  @Test("drops the link on request, after the requested time") func disconnectRequest() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    let response = try ask(fixture, 0, 27) {
      $0.bleDisconnectRequest.timeoutSecond = 3
      $0.bleDisconnectRequest.reconnectOnlyOnWom = true
    }
    #expect(response?.status == 0)
    fixture.time.advance(by: .milliseconds(2900))
    #expect(fixture.tag.isConnected)
    fixture.time.advance(by: .milliseconds(100))
    #expect(!fixture.tag.isConnected)
    #expect(!fixture.tag.isAdvertising, "only motion brings it back")
  }

  @Test("advertises its new name after it was renamed") func rename() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    #expect(try ask(fixture, 0, 11) { $0.configWrite.bleConfig.customAdvName = "Test name" }?.status == 0)
    try ask(fixture, 0, 27) { $0.bleDisconnectRequest.timeoutSecond = 0 }
    fixture.settle()
    #expect(fixture.tag.advertisedName == "Test name")
    #expect(fixture.tag.isAdvertising)
    fixture.setUp()
    let long = try ask(fixture, 0, 11) {
      $0.configWrite.bleConfig.customAdvName = "a name of twenty-two b"
    }
    #expect(long?.status == 2)
    #expect(fixture.tag.advertisedName == "Test name")
  }

  @Test("does not respond without a required bond") func bond() throws {
    let fixture = try SoftwareTagFixture { $0.requiresBond = true }
    fixture.connect()
    #expect(fixture.write(Example.hello, to: .command) == .insufficientAuthentication)
    fixture.tag.linkEncrypted()
    #expect(fixture.write(Example.hello, to: .command) == nil)
    #expect(fixture.values(.response).count == 1)
  }

  // MARK: - Configuration

  @Test("changes only the fields of a block that are written, and returns the whole block") func partialWrite() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    let response = try #require(try ask(fixture, 0, 11) { $0.configWrite.imuConfig.accelSampleRate = 9 })
    #expect(response.configResponse.imuConfig.accelSampleRate == 9)
    #expect(response.configResponse.imuConfig.accelRange == 3)
    #expect(!response.configResponse.hasBleConfig)
    let read = try #require(
      try ask(fixture, 0, 10) {
        $0.configRead.imuConfig = true
        $0.configRead.womConfig = true
      })
    #expect(read.configResponse.imuConfig.accelSampleRate == 9)
    #expect(read.configResponse.womConfig.motionThreshold == 20)
    #expect(!read.configResponse.hasBleConfig)
  }

  @Test("has no value for a custom key that was never set") func emptyKey() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    let response = try #require(
      try ask(fixture, 0, 24) {
        $0.configGetRequest.vid = 1
        $0.configGetRequest.pid = 2
        $0.configGetRequest.key = "nothing"
      })
    #expect(response.status == 0 && response.configGetResponse.config.key == "nothing")
    #expect(!response.configGetResponse.config.hasStringVal)
  }

  // MARK: - Gear

  @Test("gives gear a new component ID each time, and drops the old one") func componentIDs() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.attach(Gear.known[2], component: nil))
    try fixture.tag.perform(.detach)
    try fixture.tag.perform(.attach(Gear.known[2], component: nil))
    let attached = try notifications(fixture).map(\.attached)
    #expect(attached.map(\.attachState) == [true, false, true])
    #expect(attached.map(\.componentID) == [101, 0, 102])
    let late = try ask(fixture, 8, 4, component: 101) { $0.deviceInfo.component = 101 }
    #expect(late?.status == 6)
    #expect(fixture.breaches.isEmpty, "gear may be pulled out at any time")
    let info = try #require(try ask(fixture, 8, 4, component: 102) { $0.deviceInfo.component = 102 })
    #expect(info.componentID == 102 && info.deviceInfo.vendorID == 0xfb57_a112)
  }

  @Test("plays LED patterns and vibrations, and records them") func lightsAndHaptics() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[2], component: 101))
    fixture.setUp()
    fixture.command(
      "80 4f 08 08 10 05 18 0b 20 65 b2 07 44 10 07 1a 0c 0a 07 08 ff 01 10 00 18 00 10 fa 01 1a 0c 0a 07 08 00 10 ff "
        + "01 18 00 10 fa 01 1a 0c 0a 07 08 00 10 00 18 ff 01 10 fa 01 1a 0b 0a 06")
    fixture.command("41 08 00 10 00 18 00 10 fa 01 28 f0 2e 30 64 40 01 48 00 50 00")
    fixture.command("c0 18 08 08 10 06 18 0c 20 65 d2 38 0d 0a 0b 08 aa 01 10 1e 18 01 20 3c 28 01")
    #expect(fixture.breaches.isEmpty)
    let light = try #require(fixture.tag.journal.lights.first)
    #expect(light.component == 101 && light.pattern == 7 && light.durationMilliseconds == 6000)
    #expect(
      light.frames.map { [$0.red, $0.green, $0.blue] } == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]])
    #expect(
      fixture.tag.journal.haptics == [
        .init(onMilliseconds: 170, offMilliseconds: 30, pattern: 1, amplitude: 60, repeats: 1)
      ])
  }

  @Test("refuses LED patterns on gear without LEDs") func noLight() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[0], component: 101))
    fixture.setUp()
    let response = try ask(fixture, 8, 5, component: 101) {
      $0.ledPatternRequest.patternType = .solid
      $0.ledPatternRequest.haltAll = true
    }
    #expect(response?.status == 1)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("refuses touches without gear") func noGear() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    #expect(throws: TagActionError("no gear is attached")) { try fixture.tag.perform(.gesture(1)) }
  }

  @Test("keeps the newest notifications, up to the configured number") func queueDepth() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[0], component: 101))
    fixture.setUp()
    fixture.command(Example.continuousMode)
    fixture.command("c0 0d 08 00 10 0b 18 08 ea 44 04 12 02 50 02")
    _ = fixture.values(.response)
    fixture.tag.outbox.airTime = .milliseconds(10)
    for _ in 0..<20 { try fixture.tag.perform(.touchSweep) }
    fixture.time.advance(by: .seconds(1))
    let sequences = try notifications(fixture).map(\.data.touchData.sequence)
    #expect(sequences == [1, 19, 20])
    #expect(fixture.tag.journal.overflowed == 17)
  }

  // MARK: - Motion

  func loadMotion(_ fixture: SoftwareTagFixture) {
    fixture.setUp()
    fixture.command(Example.loadModule)
    fixture.heard = []
  }

  func metadata(_ mode: UInt32) -> WireDataCollectionMetadata {
    var metadata = WireDataCollectionMetadata()
    metadata.campaignID = "c"
    metadata.sessionID = "g"
    metadata.trialID = "t"
    metadata.subjectID = "s"
    metadata.mode = mode
    metadata.productID = "p"
    return metadata
  }

  @Test("refuses recording commands before the module is loaded") func moduleNeeded() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    #expect(try ask(fixture, 9, 3) { $0.status = WireDataCollectionStatusRequest() }?.status == 1)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("records, lists, sends and erases a session") func recording() throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(1) }?.start.dcStatus == 1)
    fixture.time.advance(by: .seconds(4))
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(1) }?.start.dcStatus == 5)
    #expect(try ask(fixture, 9, 2) { $0.stop.isError = false }?.stop.dcStatus == 0)
    try ask(fixture, 9, 4) { $0.trialList = WireDataCollectionTrialListRequest() }
    let listed = try #require(try notifications(fixture).first?.trialList)
    #expect(listed.totalTrials == 1 && listed.trialIndex == 0 && listed.trial.trialID == "t")
    let sensor = listed.trial.trialData[0].sensorData[0]

    let answer = try ask(fixture, 9, 5) {
      $0.trialData.campaignID = "c"
      $0.trialData.sessionID = "g"
      $0.trialData.trialID = "t"
      $0.trialData.subjectID = "s"
      $0.trialData.productID = "p"
      $0.trialData.sensorID = 0
      $0.trialData.offset = 0
    }
    #expect(answer?.trialData.dcStatus == 2)
    var file: [UInt8] = []
    while true {
      let packets = packets(fixture, .rawData)
      guard let packet = packets.first else { break }
      #expect(packets.count == 1, "one packet waits for its acknowledgement")
      file += packet.dropFirst()
      fixture.write(hex([0xc0, 0x02, packet[0], 0x41]), to: .rawData)
    }
    #expect(file.count == Int(sensor.fsize))
    #expect(UInt32(Checksum.crc16(file)) == sensor.crc16)
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
    // 25 Hz for 4 s, in units of 16 bytes between two markers.
    #expect(
      file.suffix(16) == [0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 1, 0])
    let start = try #require(file.indices.first { file[$0...].starts(with: [0xfe, 0xca, 0xfe, 0xca]) })
    #expect((file.count - start) / 16 == 102)

    #expect(
      try ask(fixture, 9, 7) { $0.eraseAllData = WireDataCollectionEraseAllDataRequest() }?.eraseAllData.dcStatus == 3)
    fixture.time.advance(by: .milliseconds(500))
    #expect(try notifications(fixture).first?.errorNotification.errorcode == 0)
    try ask(fixture, 9, 4) { $0.trialList = WireDataCollectionTrialListRequest() }
    #expect(try notifications(fixture).first?.trialList.totalTrials == 0)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("scales its samples by the configured ranges", arguments: [0, 1, 2, 3] as [UInt32])
  func ranges(range: UInt32) throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    try ask(fixture, 0, 11) {
      $0.configWrite.imuConfig.accelRange = range
      $0.configWrite.imuConfig.gyroRange = range
    }
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(0) }?.start.dcStatus == 1)
    fixture.time.advance(by: .seconds(1))
    let text = try #require(fixture.values(.rawData).first)
    let value = try #require(bytes(hex: text))
    func number(_ index: Int) -> Double {
      Double(Int16(truncatingIfNeeded: Int(value[2 + 2 * index]) | Int(value[3 + 2 * index]) << 8)) / 32768
    }
    // In g and in degrees per second, whatever the range.
    #expect(abs(number(2) * Double(2 << range) - 1.046) < 0.001)
    #expect(abs(number(0) * Double(2 << range) - 0.488) < 0.001)
    #expect(abs(number(3) * Double(125 << range) - 15.26) < 0.01)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("stores a real recording under its names") func realRecording() throws {
    let fixture = try SoftwareTagFixture()
    let path = repositoryPath("Tests/Support/data/tag-recording-1.bin")
    try fixture.tag.perform(.recording(trial: "1627944568", path: path))
    loadMotion(fixture)
    try ask(fixture, 9, 4) { $0.trialList = WireDataCollectionTrialListRequest() }
    let trial = try #require(try notifications(fixture).first?.trialList.trial)
    #expect(trial.trialID == "1627944568" && trial.campaignID == "IMU_Campaign" && trial.productID == "IMU_Product")
    #expect(trial.trialData[0].sensorData[0].fsize == 27309)
    #expect(trial.trialData[0].sensorData[0].crc16 == 0x46a2)
    #expect(throws: TagActionError("cannot read /nowhere")) {
      try fixture.tag.perform(.recording(trial: "x", path: "/nowhere"))
    }
  }

  @Test("resumes an interrupted download, and stops one on request") func resume() throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    fixture.tag.addSession(metadata(1), file: (0..<1200).map { UInt8($0 & 0xff) })
    func request(_ offset: UInt32) throws {
      try ask(fixture, 9, 5) {
        $0.trialData.campaignID = "c"
        $0.trialData.sessionID = "g"
        $0.trialData.trialID = "t"
        $0.trialData.subjectID = "s"
        $0.trialData.productID = "p"
        $0.trialData.sensorID = 0
        $0.trialData.offset = offset
      }
    }
    try request(1000)
    let packet = try #require(packets(fixture, .rawData).first)
    #expect(Array(packet.dropFirst()) == (1000..<1200).map { UInt8($0 & 0xff) })
    fixture.time.advance(by: .seconds(1))
    #expect(packets(fixture, .rawData) == [packet], "repeated with the same number")
    try ask(fixture, 9, 2) { $0.stop.isError = true }
    fixture.time.advance(by: .seconds(10))
    #expect(packets(fixture, .rawData).isEmpty)
    #expect(fixture.breaches.isEmpty)
  }

  @Test("streams samples three at a time, in values with two leading bytes") func streaming() throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(0) }?.start.dcStatus == 1)
    fixture.time.advance(by: .milliseconds(360))
    let values = fixture.values(.rawData).compactMap { bytes(hex: $0) }
    #expect(values.map(\.count) == [50, 50, 50])
    #expect(values.allSatisfy { $0[0] == 0xc0 && $0[1] == 48 })
    let ticks = values.flatMap { value in
      (0..<3).map { UInt32(value[2 + $0 * 16 + 12]) | UInt32(value[2 + $0 * 16 + 13]) << 8 }
    }
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1 &- $0 == 1250 }, "40 ms at 31250 ticks a second")
    try ask(fixture, 9, 2) { $0.stop.isError = false }
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.values(.rawData).isEmpty)
  }

  @Test(
    "refuses to record with little battery or storage",
    arguments: [(TagAction.battery(49, charging: nil), 7), (.storageFull(true), 6)])
  func recorderRefuses(action: TagAction, status: Int) throws {
    let fixture = try SoftwareTagFixture()
    loadMotion(fixture)
    try fixture.tag.perform(action)
    fixture.heard = []
    #expect(try ask(fixture, 9, 1) { $0.start.metadata = metadata(1) }?.start.dcStatus == UInt32(status))
  }

  // MARK: - Firmware

  func store(
    _ image: [UInt8], _ fixture: SoftwareTagFixture, vendor: UInt32, product: UInt32, component: UInt32 = 0
  ) throws {
    #expect(
      try ask(fixture, 1, 2) {
        $0.dfuPrepare.component = component
        $0.dfuPrepare.finalSize = UInt32(image.count)
        $0.dfuPrepare.finalCrc = UInt32(Checksum.crc16(image))
        $0.dfuPrepare.vendorID = vendor
        $0.dfuPrepare.productID = product
      }?.status == 0)
    for offset in stride(from: 0, to: image.count, by: 128) {
      let response = try #require(
        try ask(fixture, 1, 3) {
          $0.dfuWrite.offset = UInt32(offset)
          $0.dfuWrite.data = Array(image[offset..<min(offset + 128, image.count)])
        })
      #expect(response.dfuWrite.offset == UInt32(min(offset + 128, image.count)))
    }
  }

  func execute(_ fixture: SoftwareTagFixture, vendor: UInt32, product: UInt32) throws -> UInt32? {
    try ask(fixture, 1, 4) {
      $0.dfuExecute.vendorID = vendor
      $0.dfuExecute.productID = product
      $0.dfuExecute.updateSched = .updateNow
    }?.status
  }

  @Test("flashes itself, reboots and comes back with the new version") func updateTag() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    fixture.tag.firmware.nextVersion = Version(1, 97, 3)
    let image = (0..<300).map { UInt8($0 & 0xff) }
    try store(image, fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 0)
    fixture.time.advance(by: .seconds(2))
    #expect(fixture.drops == 1)
    #expect(!fixture.tag.isAdvertising)
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.tag.isAdvertising)
    #expect(fixture.tag.profile.firmware == Version(1, 97, 3))
    #expect(fixture.tag.journal.installed == [image])
    #expect(fixture.breaches.isEmpty)
  }

  @Test("keeps transferred data after a lost link, and reports the progress") func resumeUpdate() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    let image = [UInt8](repeating: 0xff, count: 128)
    try store(image, fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    fixture.tag.linkDown()
    fixture.setUp()
    let status = try #require(
      try ask(fixture, 1, 1) {
        $0.dfuStatus.vendorID = 0x1178_30c8
        $0.dfuStatus.productID = 0x283b_e7a0
      })
    #expect(status.dfuStatus.currentSize == 128)
    #expect(status.dfuStatus.currentCrc == 0xeda9)
  }

  @Test("flashes gear, and reports it") func updateGear() throws {
    let fixture = try SoftwareTagFixture()
    try fixture.tag.perform(.attach(Gear.known[2], component: 101))
    fixture.setUp()
    let gear = Gear.known[2]
    try store([1, 2, 3], fixture, vendor: gear.vendorID, product: gear.productID, component: 101)
    #expect(try execute(fixture, vendor: gear.vendorID, product: gear.productID) == 0)
    fixture.time.advance(by: .seconds(2))
    let notice = try #require(try notifications(fixture).first?.dfuExecuteUpdateNotif)
    #expect(notice.status == 0 && notice.productID == gear.productID && notice.firmwareMinor == 3)
    #expect(fixture.tag.isConnected)
  }

  @Test("installs a module with its last byte") func installModule() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.module(false))
    #expect(try ask(fixture, 0, 20)?.listModules.modules.isEmpty == true)
    try store([9, 9, 9], fixture, vendor: 0x1178_30c8, product: 0xef3e_5b88)
    #expect(try ask(fixture, 0, 20)?.listModules.modules.map(\.moduleID) == [0x3d0b_e753])
  }

  @Test("does not flash with an empty battery, a wrong checksum, or an image for another component")
  func updateRefused()
    throws
  {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.battery(9, charging: nil))
    try store([1], fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 3)
    #expect(try execute(fixture, vendor: 1, product: 2) == 6)
    try ask(fixture, 1, 2) {
      $0.dfuPrepare.component = 0
      $0.dfuPrepare.finalSize = 1
      $0.dfuPrepare.finalCrc = 0xbad
      $0.dfuPrepare.vendorID = 0x1178_30c8
      $0.dfuPrepare.productID = 0x283b_e7a0
    }
    try ask(fixture, 1, 3) {
      $0.dfuWrite.offset = 0
      $0.dfuWrite.data = [1]
    }
    #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 9)
    #expect(fixture.breaches.isEmpty)
  }

  // MARK: - Requested faults

  @Test(
    "damages one packet as requested",
    arguments: [
      (TagSimulator.PacketDamage.counter, ["80 4f", "43"]), (.length, ["80 4e", "41"]), (.header, ["00 4f", "41"]),
      (.firstMissing, ["41"]), (.lastMissing, ["80 4f"]), (.duplicated, ["80 4f", "41", "41"]),
      (.empty, ["", "80 4f", "41"]),
    ]) func faults(fault: TagSimulator.PacketDamage, heads: [String]) throws
  {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.corrupt(.response, fault))
    fixture.command(Example.deviceInfo)
    let values = fixture.values(.response)
    #expect(values.count == heads.count)
    for (value, head) in zip(values, heads) { #expect(value.hasPrefix(head)) }
    fixture.command(Example.deviceInfo)
    #expect(fixture.values(.response).count == 2)
  }

  @Test("sends a packet too short or too long") func lengthFaults() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.corrupt(.notification, .truncated))
    try fixture.tag.perform(.battery(50, charging: false))
    try fixture.tag.perform(.corrupt(.notification, .oversized))
    try fixture.tag.perform(.battery(50, charging: false))
    #expect(fixture.values(.notification).map { $0.split(separator: " ").count } == [14, 79])
  }

  @Test(
    "responds to a request as a scenario defines",
    arguments: [
      ("status 10", ["c0 06 08 05 10 0a 18 00"]), ("drop", []),
      ("wrong-id", ["c0 0d 08 06 10 00 18 00 ca 07 04 08 50 10 02"]),
      ("without-payload", ["c0 06 08 05 10 00 18 00"]), ("garbage", ["c0 03 ff ff ff"]),
      ("duplicate", ["c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10 02", "c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10 02"]),
      ("corrupt truncated", ["c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10"]), ("disconnect", []),
    ]) func reactions(reaction: String, answers: [String]) throws
  {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    guard case .tag(let action) = try Scenario.step(parsing: "on request battery once: \(reaction)")?.action else {
      Issue.record("not an action of a tag")
      return
    }
    try fixture.tag.perform(action)
    fixture.command(Example.battery)
    #expect(fixture.values(.response) == answers)
    #expect(fixture.tag.isConnected == (reaction != "disconnect"))
    if fixture.tag.isConnected, reaction != "drop", reaction != "garbage" {
      fixture.command(Example.battery)
      #expect(fixture.values(.response) == ["c0 0d 08 05 10 00 18 00 ca 07 04 08 50 10 02"])
    }
  }

  @Test("responds with text in Latin-1 once on request") func latin1() throws {
    let fixture = try SoftwareTagFixture()
    fixture.connect()
    for request in [Example.hello, Example.begin] { fixture.command(request) }
    fixture.heard = []
    try fixture.tag.perform(.react(Reaction(to: .deviceInfo, .latin1, times: 1)))
    for letter in ["e9", "65"] {
      fixture.command(Example.deviceInfo)
      #expect(fixture.values(.response).joined().contains("47 6f 6f 67 6c \(letter) 20 49 6e 63 2e"))
    }
    #expect(fixture.breaches == [])
  }

  @Test("responds late on request") func delay() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try fixture.tag.perform(.react(Reaction(to: .battery, .delay(.seconds(3)))))
    fixture.command(Example.battery)
    fixture.time.advance(by: .milliseconds(2999))
    #expect(fixture.values(.response).isEmpty)
    fixture.time.advance(by: .milliseconds(1))
    #expect(fixture.values(.response).count == 1)
  }

  @Test("never crashes for any written bytes") func hostileBytes() throws {
    let fixture = try SoftwareTagFixture()
    var generator = SeededRandom(seed: 1)
    func random() -> UInt64 { generator.next() }
    let routes = RequestKind.allCases.map(\.wire)
    for round in 0..<4000 {
      if !fixture.tag.isConnected { fixture.setUp() }
      var packet: [UInt8]
      if round % 2 == 0 {
        // A well-formed header, so that the handlers are reached, and a random payload.
        let (route, payload) = routes[Int(random() % UInt64(routes.count))]
        let inner = (0..<Int(random() % 12)).map { _ in UInt8(random() & 0x7f) }
        let key = UInt32(payload ?? 99) << 3 | 2
        packet = [0x08, UInt8(route.domain), 0x10, UInt8(route.opcode), 0x18, 0x05]
        packet += [UInt8(key & 0x7f | 0x80), UInt8(key >> 7), UInt8(inner.count)] + inner
      } else {
        packet = (0..<Int(random() % 61)).map { _ in UInt8(random() & 0xff) }
      }
      let target: TagCharacteristic = random() % 5 == 0 ? .rawData : .command
      if random() % 8 == 0 {
        fixture.tag.write(packet, to: target, type: .request)
      } else {
        for value in FragmentCutter.cut(packet, capacity: 61) { fixture.tag.write(value, to: target, type: .command) }
      }
      fixture.time.advance(by: .seconds(10))
      fixture.heard = []
    }
    #expect(fixture.tag.violations.count > 1000)
  }
}
