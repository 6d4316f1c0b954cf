import Dispatch
import Foundation
import JacquardSDK
import Testing

// The tests run inside `jacquard-sim run --time-scale 10 --control $JACQUARD_CONTROL`, one after the other.

/// The values of a publisher, and whether they arrived on its queue.
final class Recorder<Output>: @unchecked Sendable {
  private let lock = NSLock()
  private var received: [Output] = []
  private var end: Subscribers.Completion<Error>?
  private var isElsewhere = false
  private var subscription: AnyCancellable?

  init<P: Publisher>(_ publisher: P, _ world: World) where P.Output == Output {
    subscription = publisher.mapError { $0 as Error }.sink { [weak self] end in
      self?.lock.withLock { self?.end = end }
    } receiveValue: { [weak self] value in
      self?.lock.withLock {
        self?.received.append(value)
        if DispatchQueue.getSpecific(key: World.key) != world.number { self?.isElsewhere = true }
      }
    }
  }

  var values: [Output] { lock.withLock { received } }
  var completion: Subscribers.Completion<Error>? { lock.withLock { end } }
  var isOnQueue: Bool { lock.withLock { !isElsewhere } }

  var error: Error? {
    if case .failure(let error) = completion { error } else { nil }
  }

  func cancel() { subscription?.cancel() }
}

/// A program: a queue and a manager.
final class World: @unchecked Sendable {
  static let key = DispatchSpecificKey<Int>()
  let number = Int.random(in: 1...Int.max)
  let queue = DispatchQueue(label: "program")
  let manager: JacquardManagerImplementation

  init(
    options: [String: String]? = nil, restore: (([UUID]) -> Void)? = nil,
    pairingCode: JacquardManagerImplementation.PairingCode? = nil
  ) {
    queue.setSpecific(key: Self.key, value: number)
    manager = JacquardManagerImplementation(
      publishQueue: queue, options: options, restorePeripheralsHandler: restore, pairingCode: pairingCode)
  }

  /// The tag that a scan finds.
  func find() async throws -> AdvertisedTag {
    let states = Recorder(manager.centralState, self)
    await until { states.values.last == .poweredOn }
    let found = Recorder(manager.advertisingTags, self)
    try manager.startScanning()
    await until { !found.values.isEmpty }
    manager.stopScanning()
    return try #require(found.values.first)
  }

  /// Connects to the tag.
  func connect() async throws -> (states: Recorder<TagConnectionState>, tag: ConnectedTag) {
    let states = Recorder(manager.connect(try await find()), self)
    await until { states.values.last?.tag != nil }
    return (states, try #require(states.values.last?.tag))
  }

  /// Ends the connection.
  func disconnect(_ identifier: UUID) async {
    let states = Recorder(manager.disconnect(identifier), self)
    await until { states.values.last?.isDisconnected == true || states.completion != nil }
  }

  /// The result of a publisher of a command.
  func result<Output>(_ publisher: AnyPublisher<Output, Error>) async throws -> Output {
    let recorder = Recorder(publisher, self)
    await until { !recorder.values.isEmpty || recorder.completion != nil }
    if let error = recorder.error { throw error }
    return try #require(recorder.values.first)
  }

  /// Waits until all values sent before this call have arrived: the library's thread has delivered them.
  func settle(_ tag: ConnectedTag) async throws {
    _ = try await result(tag.enqueue(BatteryStatusCommand()))
    queue.sync {}
  }
}

extension TagConnectionState {
  var tag: ConnectedTag? {
    if case .connected(let tag) = self { tag } else { nil }
  }

  var isDisconnected: Bool {
    if case .disconnected = self { true } else { false }
  }

  var error: Error? {
    if case .disconnected(let error) = self { error } else { nil }
  }
}

/// A connected tag while `body` runs.
func withTag(_ body: (World, ConnectedTag, Recorder<TagConnectionState>) async throws -> Void) async throws {
  let world = World()
  let (states, tag) = try await world.connect()
  try await body(world, tag, states)
  await world.disconnect(tag.identifier)
}

/// A tag with gear.
func withGear(_ body: (World, ConnectedTag, Recorder<TagConnectionState>) async throws -> Void) async throws {
  try await withTag { world, tag, states in
    tell("gear attach levis-trucker")
    await until { tag.gearComponent != nil }
    try await body(world, tag, states)
    tell("gear detach")
  }
}

/// Waits for a condition.
func until(_ place: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
  let end = ContinuousClock.now.advanced(by: .seconds(20))
  while !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("the condition did not become true", sourceLocation: place)
      return
    }
    try? await Task.sleep(for: .milliseconds(2))
  }
}

/// The name of an error's case.
func name(of error: Error?) -> String {
  error.map { String(describing: $0) } ?? ""
}
