import Foundation
import JacquardSDK
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct CommandTests {
  @Test func commandsAreSentAtTheCallInTheirOrder() async throws {
    try await withTag { world, tag, _ in
      for number in 1...30 {
        _ = tag.enqueue(
          try PlayLEDPatternCommand(
            color: .init(red: number, green: 0, blue: 0), durationMs: 100 + number, component: tag.tagComponent))
      }
      try await world.settle(tag)
      let lights = tell("journal lights")
      let places = (1...30).map { lights.range(of: "\($0),0,0:\(100 + $0)")?.lowerBound }
      #expect(places.allSatisfy { $0 != nil } && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    }
  }

  @Test func aCancelledSubscriptionDoesNotCancelTheCommand() async throws {
    try await withTag { world, tag, _ in
      let command = try PlayLEDPatternCommand(
        frames: [.init(color: .init(red: 9, green: 8, blue: 7), durationMs: 123)], durationMs: 0,
        component: tag.tagComponent)
      let recorder = Recorder(tag.enqueue(command), world)
      recorder.cancel()
      try await world.settle(tag)
      #expect(tell("journal lights").contains("9,8,7:123"))
    }
  }

  @Test func commandsOfTheTag() async throws {
    #expect(JacquardSDKVersion.versionString == "v1.0.0")
    try await withTag { world, tag, _ in
      tell("battery 42 charging")
      let battery = try await world.result(tag.enqueue(BatteryStatusCommand()))
      #expect(battery.batteryLevel == 42 && battery.chargingState == .charging)
      tell("battery 80 discharging")
      let info = try await world.result(tag.enqueue(ComponentInfoCommand(componentID: 0)))
      #expect(info.version.description == "v1.96.0" && !info.uuid.isEmpty)
      let value = ConfigValue.string("ä")
      try await world.result(
        tag.enqueue(SetCustomConfigCommand(config: DeviceConfigElement(key: "key", value: value))))
      #expect(try await world.result(tag.enqueue(GetCustomConfigCommand(key: "key"))) == value)
      #expect(try await world.result(tag.enqueue(GetCustomConfigCommand(key: "other"))) == nil)
      let wrong = Recorder(tag.enqueue(GetCustomConfigCommand(vendorID: "nonsense", key: "key")), world)
      await until { wrong.error != nil }
      #expect(name(of: wrong.error) == "errorBadParam")
    }
  }

  @Test func commandsOfGear() async throws {
    try await withGear { world, tag, _ in
      let gear = try #require(tag.gearComponent)
      #expect(gear.product.name == "Trucker Jacket" && gear.vendor.id == "74-a8-ce-54" && !gear.isTag)
      #expect(gear.capabilities == [.gesture, .touchDataStream, .haptic] && tag.tagComponent.isTag)
      let frame = PlayHapticCommand.HapticFrame(
        onMs: 123, offMs: 0, maxAmplitudePercent: 60, repeatNMinusOne: 0, pattern: .hapticSymbolConstOn)
      try await world.result(tag.enqueue(PlayHapticCommand(frame: frame, component: gear)))
      #expect(tell("journal haptics").contains("123"))
      #expect(throws: PlayHapticCommand.Error.self) { try PlayHapticCommand(frame: frame, component: tag.tagComponent) }
      try await world.result(tag.setTouchMode(.gesture, for: gear))
    }
  }

  @Test func aRefusalHasTheStatusOfTheTag() async throws {
    try await withTag { world, tag, _ in
      tell("on request led once: status 2")
      let command = try PlayLEDPatternCommand(
        color: .init(red: 1, green: 1, blue: 1), durationMs: 100, component: tag.tagComponent)
      let refused = Recorder(tag.enqueue(command), world)
      await until { refused.error != nil }
      #expect(name(of: refused.error) == "errorBadParam" && refused.values.isEmpty)
    }
  }

  @Test func aTagIsRenamed() async throws {
    try await withTag { world, tag, states in
      #expect(throws: SetNameError.self) { try tag.setName(tag.name) }
      #expect(throws: SetNameError.self) { try tag.setName("") }
      #expect(throws: SetNameError.self) { try tag.setName(String(repeating: "ä", count: 11)) }
      let renamed = Recorder(try tag.setName("Hugo"), world)
      await until { renamed.values.count == 1 && states.values.compactMap(\.tag).count == 2 }
      let next = try #require(states.values.last?.tag)
      #expect(next.name == "Hugo" && renamed.completion == nil)
      try await world.result(next.setName("Jacquard-01ZK"))
      await until { states.values.last?.tag?.name == "Jacquard-01ZK" }
    }
  }

  @Test func ownCommandsAreSent() async throws {
    struct Ping: CommandRequest {
      struct Message: V2ProtocolCommandRequestIDInjectable {
        var id: UInt32 = 0
        func serializedData(partial: Bool) throws -> Data { Data([0x08, 0x00, 0x10, 0x14]) }
      }
      var request: V2ProtocolCommandRequestIDInjectable { Message() }
      func parseResponse(outerProto: Any) -> Result<Data, Error> {
        guard let response = outerProto as? SerializedResponse else {
          return .failure(JacquardCommandError.malformedResponse)
        }
        return .success(response.data)
      }
    }
    try await withTag { world, tag, _ in
      let response = try await world.result(tag.enqueue(Ping()))
      #expect(!response.isEmpty)
    }
  }

  @Test func aRecordingIsDownloadedAndRead() async throws {
    try await withTag { world, tag, _ in
      let imu = IMUModuleImplementation(publishQueue: world.queue, connectedTag: tag)
      let started = Recorder(imu.initialize(), world)
      await until { started.values.count == 1 }
      let logging = try await world.result(
        imu.startRecording(
          sessionID: "one", campaignID: "c", groupID: "g", productID: "p", subjectID: "s", samplingRate: .low))
      #expect(logging == .logging)
      #expect(try await world.result(imu.getDataCollectionMode()) == .store)
      try await world.result(imu.stopRecording())
      #expect(try await world.result(imu.checkStatus()) == .idle)
      let session = try await world.result(imu.listSessions())
      #expect(session.sessionID == "one" && session.subjectID == "s")
      let download = Recorder(imu.downloadIMUSessionData(session: session), world)
      await until { if case .downloaded? = download.values.last { true } else { download.error != nil } }
      #expect(download.error == nil)
      let parsed = try await world.result(imu.parseIMUSession(session))
      #expect(parsed.fullyParsed && parsed.session.metadata.sessionID == "one")
      try await world.result(imu.eraseAllSessions())
      let ended = Recorder(imu.deactivateModule(), world)
      await until { ended.values.count == 1 }
    }
  }
}
