import Dispatch
import Foundation
import JacquardSDK
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ConnectingTests {
  @Test func statesAreValuesAndNeverEnd() async throws {
    try await withTag { world, tag, states in
      #expect(states.values.first.map { if case .preparingToConnect = $0 { true } else { false } } == true)
      let configuring = states.values.compactMap { state in
        if case .configuring(let step, let all) = state { [step, all] } else { [Int]?.none }
      }
      #expect(configuring.last == [13, 14])
      await world.disconnect(tag.identifier)
      await until { states.values.last?.isDisconnected == true }
      #expect(states.values.last?.error == nil && states.completion == nil && states.isOnQueue)
    }
  }

  @Test func aSecondCallJoins() async throws {
    try await withTag { world, tag, states in
      let joined = Recorder(world.manager.connect(tag.identifier), world)
      await until { joined.values.last?.tag != nil }
      #expect(joined.values.last?.tag.map { $0 as AnyObject === tag as AnyObject } == true && joined.values.count == 1)
      let current = Recorder(world.manager.getConnectedTag(for: tag.identifier), world)
      await until { current.values.last??.identifier == tag.identifier }
    }
  }

  @Test func theCallConnectsWithoutASubscriber() async throws {
    let world = World()
    let identifier = try await world.find().identifier
    _ = world.manager.connect(identifier)
    let current = Recorder(world.manager.getConnectedTag(for: identifier), world)
    await until { current.values.last?.map { $0.identifier } == identifier }
    await world.disconnect(identifier)
    await until { current.values.last.map { $0 == nil } == true }
  }

  @Test func aConnectionThatEndsIsFollowedByTheNextOne() async throws {
    try await withTag { world, tag, states in
      _ = world.manager.disconnect(tag)
      let next = Recorder(world.manager.connect(tag.identifier), world)
      await until { next.values.last?.tag != nil && states.values.last?.isDisconnected == true }
      #expect(next.values.last?.tag.map { $0 as AnyObject !== tag as AnyObject } == true)
    }
  }

  @Test func onlyTwoFailures() async throws {
    struct Stranger: ConnectableTag {
      let identifier = UUID()
      let displayName = ""
    }
    let world = World()
    let stranger = Recorder(world.manager.connect(Stranger()), world)
    await until { stranger.error != nil }
    #expect(name(of: stranger.error) == "unconnectableTag")
    let unknown = Recorder(world.manager.disconnect(UUID()), world)
    await until { unknown.error != nil }
    #expect(name(of: unknown.error) == "bluetoothDeviceNotFound")
    let none = Recorder(world.manager.getConnectedTag(for: UUID()), world)
    await until { none.completion != nil }
    #expect(none.values.count == 1 && none.values[0] == nil && none.error == nil)
  }

  @Test func anEndHasAReason() async throws {
    try await withTag { world, tag, states in
      tell("adapter off")
      await until { states.values.last?.isDisconnected == true }
      #expect(name(of: states.values.last?.error) == "bluetoothPowerOff")
      #expect(states.completion == nil)
      let power = Recorder(world.manager.centralState, world)
      await until { power.values.last == .poweredOff }
      #expect(throws: ManagerScanningError.self) { try world.manager.startScanning() }
      tell("adapter on")
      await until { power.values.last == .poweredOn }
    }
  }

  @Test func scanningIsReported() async throws {
    let world = World()
    let scanning = Recorder(world.manager.isScanning, world)
    let found = try await world.find()
    #expect(found.pairingSerialNumber == "01ZK" && found.rssi < 0 && found.displayName.hasPrefix("Jacquard"))
    await until { scanning.values == [false, true, false] }
    try world.manager.startScanning(options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    let again = Recorder(world.manager.advertisingTags, world)
    await until { again.values.count > 1 }
    world.manager.stopScanning()
  }

  @Test func connectedTagsAreListed() async throws {
    try await withTag { world, tag, _ in
      #expect(world.manager.preConnectedTags().map(\.identifier) == [tag.identifier])
    }
  }

  @Test func tagsAreRestored() async throws {
    let options = [CBCentralManagerOptionRestoreIdentifierKey: "org.example.sdk"]
    var identifier: UUID?
    weak var manager: JacquardManagerImplementation?
    weak var last: AnyObject?
    do {
      let world = World(options: options)
      let tag = try await world.connect().tag
      (identifier, manager, last) = (tag.identifier, world.manager, tag as AnyObject)
    }
    await until { manager == nil && last == nil }
    let handed = CurrentValueSubject<[UUID]?, Never>(nil)
    let isOnQueue = { DispatchQueue.getSpecific(key: World.key) != nil }
    let world = World(options: options, restore: { handed.send(isOnQueue() ? $0 : []) })
    await until { handed.value != nil }
    let known = try #require(identifier)
    #expect(handed.value == [known])
    let states = Recorder(world.manager.connect(known), world)
    await until { states.values.last?.tag != nil }
    await world.disconnect(known)
  }
}
