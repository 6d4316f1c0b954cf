import Foundation
import JacquardSDK
import Testing

/// A publisher, with the trigger that makes it deliver.
struct Row: CustomTestStringConvertible, Sendable {
  let name: String
  /// Whether a subscriber first gets the current value.
  let replays: Bool
  /// Whether its values belong to the link of the tag.
  var endsWithLink = false
  let publisher: @Sendable (World, ConnectedTag) -> AnyPublisher<String, Error>
  var trigger: (@Sendable (World, ConnectedTag) async throws -> Void)?

  var testDescription: String { name }
}

private func text<P: Publisher>(_ publisher: P) -> AnyPublisher<String, Error> {
  publisher.map { "\($0)" }.mapError { $0 as Error }.eraseToAnyPublisher()
}

private func subscribed<S: NotificationSubscription>(
  _ tag: ConnectedTag, _ subscription: S
) -> AnyPublisher<String, Error> {
  var publisher = Empty<String, Error>().eraseToAnyPublisher()
  tag.registerSubscriptions { publisher = text($0.subscribe(subscription)) }
  return publisher
}

private let rows: [Row] = [
  Row(name: "centralState", replays: true) { world, _ in text(world.manager.centralState) },
  Row(name: "isScanning", replays: true) { world, _ in
    text(world.manager.isScanning)
  } trigger: { world, _ in
    try world.manager.startScanning()
  },
  Row(name: "advertisingTags", replays: false) { world, _ in
    text(world.manager.advertisingTags.map(\.displayName))
  } trigger: { world, _ in
    try world.manager.startScanning()
  },
  Row(name: "connect", replays: true) { world, tag in text(world.manager.connect(tag.identifier)) },
  Row(name: "getConnectedTag", replays: true) { world, tag in
    text(world.manager.getConnectedTag(for: tag.identifier))
  },
  Row(name: "namePublisher", replays: true, endsWithLink: true) { _, tag in text(tag.namePublisher) },
  Row(name: "connectedGear", replays: true, endsWithLink: true) { _, tag in text(tag.connectedGear) },
  Row(name: "rssiPublisher", replays: false, endsWithLink: true) { _, tag in
    text(tag.rssiPublisher)
  } trigger: { _, tag in
    tag.readRSSI()
  },
  Row(name: "gestures", replays: false, endsWithLink: true) { _, tag in
    subscribed(tag, GestureNotificationSubscription())
  } trigger: { _, _ in
    tell("gesture 1")
  },
  Row(name: "battery levels", replays: false, endsWithLink: true) { _, tag in
    subscribed(tag, BatteryStatusNotificationSubscription())
  } trigger: { _, _ in
    tell("battery 42")
    tell("battery 80")
  },
  Row(name: "touch samples", replays: false, endsWithLink: true) { world, tag in
    subscribed(tag, ContinuousTouchNotificationSubscription())
  } trigger: { world, tag in
    guard let gear = tag.gearComponent else { return }
    try await world.result(tag.setTouchMode(.continuous, for: gear))
    tell("touch 7 1 2 3 4 5 6 7 8 9 10 11 12")
    try await world.result(tag.setTouchMode(.gesture, for: gear))
  },
  Row(name: "modules", replays: false, endsWithLink: true) { _, tag in
    subscribed(tag, ActivateModuleNotificationSubscription())
  } trigger: { world, tag in
    guard let module = try await world.result(tag.enqueue(ListModulesCommand())).first else { return }
    try await world.result(tag.enqueue(ActivateModuleCommand(module: module)))
    try await world.result(tag.enqueue(DeactivateModuleCommand(module: module)))
  },
  Row(name: "enqueue", replays: true) { _, tag in text(tag.enqueue(BatteryStatusCommand())) },
  Row(name: "enqueue with retries", replays: true) { _, tag in text(tag.enqueue(BatteryStatusCommand(), retries: 5)) },
  Row(name: "setTouchMode", replays: true) { _, tag in
    text(tag.setTouchMode(.gesture, for: tag.gearComponent ?? tag.tagComponent))
  },
  Row(name: "state of firmware", replays: true) { _, tag in text(tag.firmwareUpdateManager.state) },
]

@Suite(.serialized, .timeLimit(.minutes(2))) struct PublisherTests {
  @Test(arguments: rows) func aPublisherObeysItsRules(row: Row) async throws {
    try await withGear { world, tag, states in
      let publisher = row.publisher(world, tag)
      world.queue.suspend()
      let (one, other, cancelled) = (Recorder(publisher, world), Recorder(publisher, world), Recorder(publisher, world))
      cancelled.cancel()
      #expect(one.values.isEmpty)
      world.queue.resume()
      if row.replays { await until { one.values.count == 1 && other.values.count == 1 } }
      if let trigger = row.trigger {
        let count = one.values.count
        try await trigger(world, tag)
        await until { one.values.count > count && other.values.count > count }
      }
      try await world.settle(tag)
      #expect(one.values == other.values && one.isOnQueue && other.isOnQueue)
      #expect(cancelled.values.isEmpty && one.completion == nil && other.completion == nil)
      let late = Recorder(publisher, world)
      if row.replays { await until { late.values == one.values.suffix(1) } }
      if row.endsWithLink { try await expectSilence(row, publisher, one, world, tag, states) }
      world.manager.stopScanning()
    }
  }

  /// After the link's end neither the subscriber nor a new one gets anything.
  private func expectSilence(
    _ row: Row, _ publisher: AnyPublisher<String, Error>, _ recorder: Recorder<String>, _ world: World,
    _ tag: ConnectedTag, _ states: Recorder<TagConnectionState>
  ) async throws {
    tell("drop link")
    await until { states.values.compactMap(\.tag).count == 2 }
    let next = try #require(states.values.last?.tag)
    await until { next.gearComponent != nil }
    let values = recorder.values
    let late = Recorder(publisher, world)
    try await row.trigger?(world, next)
    tag.readRSSI()
    try await world.settle(next)
    #expect(recorder.values == values && late.values.isEmpty && late.completion == nil)
  }

  @Test func theCloudFailsClearly() async throws {
    try await withTag { world, tag, _ in
      let updates = Recorder(tag.firmwareUpdateManager.checkUpdates(forceCheck: true), world)
      await until { updates.error != nil }
      #expect(name(of: updates.error).contains("noInternet"))
      #expect((updates.error as? FirmwareUpdateError)?.localizedDescription.contains("cloud") == true)
      let applied = Recorder(tag.firmwareUpdateManager.applyUpdates([], shouldAutoExecute: true), world)
      await until { !applied.values.isEmpty }
      #expect(throws: FirmwareUpdateError.self) { try tag.firmwareUpdateManager.stopUpdates() }
    }
  }
}
