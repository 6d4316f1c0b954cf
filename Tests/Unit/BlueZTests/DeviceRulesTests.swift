import DBus
import EventLoop
import TestWorld
import Testing

@testable import BlueZ

@Suite("Rules of followed devices")
struct DeviceRulesTests {
  private static func path(_ number: Int) -> String { "\(SampleMachine.adapter)/dev_\(number)" }

  /// A daemon with that many devices, and a running client.
  private static func begin(_ fixture: BlueZFixture, devices: Int) throws -> ScriptedBlueZ {
    let daemon = try fixture.begin()
    for number in 0..<devices {
      daemon.add(
        Self.path(number), [SampleMachine.deviceInterface: ["Address": .string("\(number)"), "Connected": false]])
    }
    fixture.settle()
    _ = fixture.takeChanges()
    return daemon
  }

  private static func follow(_ fixture: BlueZFixture, _ paths: [String]) throws -> [ObjectCache.Following] {
    let following = try fixture.stepped.run { [cache = fixture.cache] in
      var following: [ObjectCache.Following] = []
      for device in cache.devices where paths.contains(device.path) { following.append(try await cache.follow(device)) }
      return following
    }
    _ = fixture.takeChanges()
    return following
  }

  private static func connect(_ fixture: BlueZFixture, _ daemon: ScriptedBlueZ, _ numbers: Range<Int>) -> [String] {
    for number in numbers { daemon.change(Self.path(number), SampleMachine.deviceInterface, ["Connected": true]) }
    return fixture.takeChanges()
  }

  /// The rules for changed properties that a dbus-daemon has of this client, without those that are always there.
  private static func rules(_ fixture: BlueZFixture) throws -> [String] {
    let address = try fixture.stepped.address
    let rules = try fixture.stepped.run { [loop = fixture.loop, client = fixture.cache.rules?.connection] in
      // The bus replies to this call after it has processed all earlier removals of rules.
      _ = try await client?.busID()
      let connection = BusConnection(loop, address)
      try await connection.open()
      defer { connection.close() }
      return try await connection.call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus.Debug.Stats",
        member: "GetAllMatchRules"
      ).body().first?.asEntries?.flatMap { $0.value.asStrings ?? [] } ?? []
    }
    return rules.filter { $0.contains("PropertiesChanged") && !$0.contains(Interface.adapter.rawValue) }
      .map { rule in
        rule.split(separator: ",").filter { $0.hasPrefix("path") || $0.hasPrefix("arg0=") }.sorted()
          .joined(separator: " ")
      }.sorted()
  }

  private static let placeholder = "arg0='placeholder' path_namespace='/org/bluez'"
  private static let everything = "path_namespace='/org/bluez'"

  @Test("changes of a device arrive only while it is followed")
  func one() throws {
    let fixture = try BlueZFixture()
    let daemon = try Self.begin(fixture, devices: 2)
    var following = try Self.follow(fixture, [Self.path(1)])
    #expect(try Self.rules(fixture) == [Self.placeholder, "path='\(Self.path(1))'"])
    #expect(Self.connect(fixture, daemon, 0..<2) == ["dev_1 Connected"])
    following = []
    #expect(try Self.rules(fixture) == [Self.placeholder])
    #expect(Self.connect(fixture, daemon, 0..<2) == [])
    #expect(following.isEmpty)
  }

  /// dbus-daemon may remove a different rule than the requested one: see `MatchRule.pathNamespace`.
  @Test("the end of one following does not affect the others", arguments: 0..<3)
  func independent(ended: Int) throws {
    let fixture = try BlueZFixture()
    let daemon = try Self.begin(fixture, devices: 3)
    var following = try Self.follow(fixture, (0..<3).map(Self.path))
    following.remove(at: ended)
    #expect(
      Self.connect(fixture, daemon, 0..<3) == (0..<3).filter { $0 != ended }.map { "dev_\($0) Connected" })
    withExtendedLifetime(following) {}
  }

  @Test("characteristics that can notify are followed with their device, also those that are exported later")
  func characteristics() throws {
    let fixture = try BlueZFixture()
    let daemon = try Self.begin(fixture, devices: 1)
    func export(_ name: String, _ flag: String) {
      var properties = SampleMachine.characteristicProperties
      properties["Flags"] = .strings([flag])
      daemon.add("\(Self.path(0))/\(name)", [SampleMachine.characteristicInterface: properties])
      fixture.settle()
    }
    func change(_ name: String) {
      daemon.change("\(Self.path(0))/\(name)", SampleMachine.characteristicInterface, ["Notifying": true])
    }
    export("char1", "notify")
    export("char2", "write")
    var following = try Self.follow(fixture, [Self.path(0)])
    export("char3", "indicate")
    export("char4", "read")
    _ = fixture.takeChanges()
    for number in 1...4 { change("char\(number)") }
    #expect(fixture.takeChanges() == ["char1 Notifying", "char3 Notifying"])
    #expect(try Self.rules(fixture).count == 4)

    daemon.remove("\(Self.path(0))/char3", [SampleMachine.characteristicInterface])
    fixture.settle()
    #expect(try Self.rules(fixture).count == 3)
    following = []
    #expect(try Self.rules(fixture) == [Self.placeholder])
    #expect(following.isEmpty)
  }

  @Test("an advertisement of another device does not wake the loop")
  func wakeUps() throws {
    let fixture = try BlueZFixture()
    let daemon = try Self.begin(fixture, devices: 1)
    let following = try Self.follow(fixture, [SampleMachine.device])
    let traffic = fixture.bluez.cache.elsewhere
    for _ in 0..<10 { daemon.change(Self.path(0), SampleMachine.deviceInterface, ["RSSI": .int16(-50)]) }
    fixture.settle()
    #expect(fixture.bluez.cache.elsewhere == traffic)
    daemon.change(SampleMachine.device, SampleMachine.deviceInterface, ["RSSI": .int16(-50)])
    fixture.settle()
    #expect(fixture.bluez.cache.elsewhere == traffic + 10)
    withExtendedLifetime(following) {}
  }

  @Test("what changed before is known when following begins")
  func refreshed() throws {
    let fixture = try BlueZFixture()
    let daemon = try Self.begin(fixture, devices: 1)
    #expect(Self.connect(fixture, daemon, 0..<1) == [])
    let device = try #require(fixture.cache.devices.first { $0.path == Self.path(0) })
    #expect(!device.connected)
    let following = try Self.follow(fixture, [Self.path(0)])
    #expect(device.connected)
    withExtendedLifetime(following) {}
  }

  @Test("a device that is removed and added again is another device")
  func removed() throws {
    let fixture = try BlueZFixture()
    let daemon = try Self.begin(fixture, devices: 1)
    var following = try Self.follow(fixture, [Self.path(0)])
    daemon.remove(Self.path(0), [SampleMachine.deviceInterface])
    daemon.add(Self.path(0), [SampleMachine.deviceInterface: ["Address": "0", "Connected": false]])
    fixture.settle()
    following += try Self.follow(fixture, [Self.path(0)])
    following.removeFirst()
    #expect(Self.connect(fixture, daemon, 0..<1) == ["dev_0 Connected"])
    following = []
    #expect(try Self.rules(fixture) == [Self.placeholder])
  }

  @Test("more devices than the limit share one rule", arguments: [512, 50_000])
  func many(mostMatchRules: Int) throws {
    let fixture = try BlueZFixture(mostMatchRules: mostMatchRules)
    let daemon = try Self.begin(fixture, devices: 600)
    var following = try Self.follow(fixture, (0..<600).map(Self.path))
    let rules = try Self.rules(fixture)
    #expect(rules.count == DeviceRules.mostSingleRules + 1)
    #expect(rules.filter { $0 == Self.everything }.count == 1)
    #expect(Self.connect(fixture, daemon, 0..<600).count == 600)
    following = []
    #expect(try Self.rules(fixture) == [Self.placeholder])
    #expect(following.isEmpty)
  }

  @Test("where the bus accepts few rules, one rule takes the place of the placeholder", arguments: 6...14)
  func refused(mostMatchRules: Int) throws {
    let fixture = try BlueZFixture(mostMatchRules: mostMatchRules)
    let daemon = try Self.begin(fixture, devices: 20)
    for _ in 0..<2 {
      var following = try Self.follow(fixture, (0..<20).map(Self.path))
      #expect(try Self.rules(fixture).contains(Self.everything))
      #expect(Self.connect(fixture, daemon, 0..<20).count == 20)
      following.append(
        try fixture.stepped.run { [cache = fixture.cache] in try await cache.followAllDevices() })
      _ = fixture.takeChanges()
      #expect(Self.connect(fixture, daemon, 0..<20).count == 20)
      following = []
      #expect(try Self.rules(fixture) == [Self.placeholder])
      #expect(following.isEmpty)
    }
  }

  @Test("a cancelled request for a rule leaves none", arguments: [6, 512])
  func cancelled(mostMatchRules: Int) throws {
    let fixture = try BlueZFixture(mostMatchRules: mostMatchRules)
    _ = try Self.begin(fixture, devices: 1)
    let device = try #require(fixture.cache.devices.first { $0.path == Self.path(0) })
    for iterations in 0..<8 {
      let task = fixture.loop.spawn { [cache = fixture.cache] in _ = try? await cache.follow(device) }
      for _ in 0..<iterations { try fixture.loop.dispatch() }
      task.cancel()
      fixture.settle()
      #expect(try Self.rules(fixture) == [Self.placeholder])
    }
  }

  @Test("after a restart of the bus, devices can be followed again")
  func busRestarts() throws {
    let fixture = try BlueZFixture()
    _ = try Self.begin(fixture, devices: 1)
    var following = try Self.follow(fixture, [Self.path(0)])
    fixture.stepped.killBus()
    fixture.settle()
    try fixture.stepped.startBus()
    let daemon = try fixture.newDaemon([
      (Self.path(0), [SampleMachine.deviceInterface: ["Address": "0", "Connected": false]])
    ])
    fixture.stepped.run(until: { fixture.isRunning })
    following += try Self.follow(fixture, [Self.path(0)])
    following.removeFirst()
    #expect(Self.connect(fixture, daemon, 0..<1) == ["dev_0 Connected"])
    following = []
    #expect(try Self.rules(fixture) == [Self.placeholder])
  }
}
