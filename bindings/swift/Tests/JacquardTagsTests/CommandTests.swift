import JacquardTags
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct CommandTests {
  @Test func theBatteryIsRead() async throws {
    try await withTag { connection, tag in
      let batteries = try connection.batteries()
      tell("battery 42 charging")
      #expect(try await tag.battery() == Battery(percent: 42, isCharging: true))
      for try await battery in batteries where battery.percent == 42 { break }
      tell("battery 80 discharging")
    }
  }

  @Test func aPatternIsPlayed() async throws {
    try await withTag { _, tag in
      try await tag.playLED(.color(red: 255, green: 128, blue: 0, duration: .milliseconds(250)))
      #expect(tell("journal lights").contains("255,128,0:250"))
      try await tag.playLED(.halt)
    }
  }

  @Test func gearVibrates() async throws {
    try await withGear { _, tag, gear in
      try await gear.playHaptic(Haptic(.constant, onMilliseconds: 123))
      #expect(tell("journal haptics").contains("123"))
      #expect(try await gear.readInfo().productID == gear.info.productID)
      #expect(await failure { try await tag.component.playHaptic(.alert) }?.code == .unsupported)
    }
  }

  @Test func aRefusalHasTheStatusOfTheTag() async throws {
    try await withTag { _, tag in
      tell("on request led once: status 2")
      let error = await failure { try await tag.playLED(.color(red: 1, green: 1, blue: 1)) }
      #expect(error?.code == .tagStatus && error?.tagStatus == .badParameter && error?.message.isEmpty == false)
    }
  }

  @Test func aTimeLimitEndsACommand() async throws {
    try await withTag { _, tag in
      tell("on request battery once: delay 4s")
      #expect(await failure { _ = try await tag.battery(timeout: .milliseconds(200)) }?.code == .timeout)
      let battery = try await tag.battery()
      #expect(battery.percent == 80)
    }
  }

  @Test func aCancelledTaskCancelsItsCommand() async throws {
    try await withTag { _, tag in
      tell("on request battery once: delay 20s")
      let task = Task { await failure { _ = try await tag.battery() } }
      try await Task.sleep(for: .milliseconds(100))
      task.cancel()
      #expect(await task.value?.code == .cancelled)
      let early = Task { await failure { _ = try await tag.battery() } }
      early.cancel()
      _ = await early.value
      tell("drop link")
    }
  }

  @Test func eachCommandCompletesOnceWhenTheLinkIsLost() async throws {
    try await withTag { connection, tag in
      tell("on request battery once: drop")
      let codes = await withTaskGroup(of: Status?.self) { group in
        for _ in 0..<20 { group.addTask { await failure { _ = try await tag.battery() }?.code } }
        group.addTask {
          try? await Task.sleep(for: .milliseconds(100))
          tell("drop link")
          return .connectionLost
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.count == 21 && codes.allSatisfy { $0 == .connectionLost || $0 == .staleTag }, "\(codes)")
      let battery = try await connection.tag().battery()
      #expect(battery.percent == 80)
    }
  }

  @Test(arguments: [
    StoredValue.bool(true), .uint32(.max), .uint64(.max), .int32(.min), .int64(.min), .float(0.5), .double(0.1),
    .string("ä"),
  ]) func valuesAreStored(value: StoredValue) async throws {
    try await withTag { _, tag in
      let owner = KeyOwner(vendorID: 1, productID: 2)
      try await tag.writeValue(value, for: "key", of: owner)
      #expect(try await tag.readValue(for: "key", of: owner) == value)
      #expect(try await tag.readValue(for: "other", of: owner) == nil)
    }
  }

  @Test func theConfigurationIsWritten() async throws {
    try await withTag { _, tag in
      let before = try await tag.configuration()
      var changes = Configuration()
      changes.slowInterval = 2000
      changes.motionTimeout = 9000
      try await tag.configure(changes)
      var expected = before
      expected.slowInterval = 2000
      expected.motionTimeout = 9000
      #expect(try await tag.configuration() == expected)
      #expect(before.name != nil && before.motionLink != nil)
    }
  }

  @Test func modulesAreLoadedAndUnloaded() async throws {
    try await withTag { connection, tag in
      let loads = try connection.moduleLoads()
      let module = try #require(try await tag.modules().first)
      try await tag.load(module)
      #expect(try await tag.modules().first?.isLoaded == true)
      #expect(try await loads.first(1).first?.tagStatus == .ok)
      try await tag.unload(module)
      #expect(try await tag.modules().first?.isLoaded == false)
      let unknown = Module(vendorID: 1, productID: 2, moduleID: 3)
      #expect(await failure { try await tag.delete(unknown) } != nil)
    }
  }

  @Test func requestsAreSentUnchanged() async throws {
    try await withTag { connection, tag in
      let notifications = try connection.notifications()
      let response = try await tag.sendRequest([0x08, 0x00, 0x10, 0x14])
      #expect(!response.isEmpty)
      #expect(await failure { _ = try await tag.sendRequest([]) }?.code == .invalidArgument)
      try await tag.sendRawData([1, 2, 3])
      tell("battery 79")
      #expect(try await notifications.first(1).first?.isEmpty == false)
      tell("battery 80")
    }
  }

  @Test func theTagDropsTheLinkOnRequest() async throws {
    try await withTag { connection, tag in
      try await tag.requestDisconnect()
      #expect(try await connection.tag() != tag)
    }
  }
}
