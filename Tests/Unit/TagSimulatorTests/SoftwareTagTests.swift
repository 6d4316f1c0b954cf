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

  @Test("sleeps after ten minutes without use, and motion wakes it") func fallsAsleep() throws {
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
}
