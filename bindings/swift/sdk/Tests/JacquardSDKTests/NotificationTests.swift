import Foundation
import JacquardSDK
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct NotificationTests {
  /// A program that subscribes again for each link, as those for the iOS SDK do.
  @Test func eachGestureArrivesOnceAfterTenReconnections() async throws {
    try await withGear { world, tag, states in
      let gestures = Recorder(
        world.manager.getConnectedTag(for: tag.identifier).compactMap { $0 }.flatMap {
          tag -> AnyPublisher<Gesture, Never> in
          var gestures = Empty<Gesture, Never>().eraseToAnyPublisher()
          tag.registerSubscriptions { gestures = $0.subscribe(GestureNotificationSubscription()) }
          return gestures
        }, world)
      var expected: [Gesture] = []
      for round in 1...10 {
        tell("drop link")
        await until { states.values.compactMap(\.tag).count == round + 1 }
        let next = try #require(states.values.last?.tag)
        await until { next.gearComponent != nil }
        for gesture in [Gesture.brushIn, .brushOut, .doubleTap] {
          expected.append(gesture)
          tell("gesture \(gesture.rawValue)")
          await until { gestures.values.count >= expected.count }
        }
      }
      try await world.settle(try #require(states.values.last?.tag))
      #expect(gestures.values == expected && gestures.completion == nil)
    }
  }

  @Test func nothingIsLostWhileTheQueueIsBlocked() async throws {
    try await withGear { world, tag, _ in
      var publisher = Empty<Gesture, Never>().eraseToAnyPublisher()
      tag.registerSubscriptions { publisher = $0.subscribe(GestureNotificationSubscription()) }
      let gestures = Recorder(publisher, world)
      let names = Recorder(tag.rssiPublisher, world)
      let sent = (0..<60).map { [Gesture.brushIn, .brushOut, .doubleTap, .shortCover][$0 % 4] }
      world.queue.async { Thread.sleep(forTimeInterval: 3) }
      for gesture in sent { tell("gesture \(gesture.rawValue)") }
      tag.readRSSI()
      await until { gestures.values.count == sent.count && names.values.count == 1 }
      #expect(gestures.values == sent)
    }
  }

  /// The program subscribes after gestures have arrived: its queue learns of the link while it is blocked.
  @Test func gesturesBeforeTheSubscriptionAreKept() async throws {
    try await withGear { world, tag, _ in
      let places = PassthroughSubject<AnyPublisher<Gesture, Never>, Never>()
      let subscribed = Recorder(places, world)
      let links = world.manager.getConnectedTag(for: tag.identifier).compactMap { $0 }.dropFirst().sink { next in
        while next.gearComponent == nil { Thread.sleep(forTimeInterval: 0.002) }
        tell("gesture 2")
        tell("gesture 3")
        tell("gear detach")
        while next.gearComponent != nil { Thread.sleep(forTimeInterval: 0.002) }
        next.registerSubscriptions { place in
          for _ in 1...2 { places.send(place.subscribe(GestureNotificationSubscription())) }
        }
      }
      tell("drop link")
      await until { subscribed.values.count == 2 }
      let (one, two) = (Recorder(subscribed.values[0], world), Recorder(subscribed.values[1], world))
      await until { one.values == [.brushIn, .brushOut] && two.values == one.values }
      tell("gear attach levis-trucker")
      let current = Recorder(world.manager.getConnectedTag(for: tag.identifier), world)
      await until { current.values.last??.gearComponent != nil }
      tell("gesture 1")
      await until { one.values.last == .doubleTap && two.values.last == .doubleTap }
      let late = Recorder(subscribed.values[0], world)
      tell("gesture 2")
      await until { !late.values.isEmpty && one.values.count == 4 }
      #expect(late.values == [.brushIn])
      links.cancel()
    }
  }

  @Test func rawDataAndOwnSubscriptionsAreServed() async throws {
    struct Own: NotificationSubscription {
      func extract(from outerProto: Any) -> Data? { outerProto as? Data }
    }
    try await withTag { world, tag, _ in
      var (publisher, data) = (Empty<Data, Never>().eraseToAnyPublisher(), Empty<Data, Never>().eraseToAnyPublisher())
      tag.registerSubscriptions {
        publisher = $0.subscribe(Own())
        data = $0.subscribeRawData()
      }
      let (own, raw) = (Recorder(publisher, world), Recorder(data, world))
      try await world.settle(tag)
      tell("raw-packet 5 68 65 6c 6c 6f")
      await until { raw.values == [Data("hello".utf8)] }
      tell("battery 42")
      await until { !own.values.isEmpty }
      tell("battery 80")
      let imu = IMUModuleImplementation(publishQueue: world.queue, connectedTag: tag)
      let samples = Recorder(imu.startIMUStreaming(samplingRate: .low), world)
      await until { samples.values.count > 10 }
      try await world.result(imu.stopIMUStreaming())
      #expect(samples.isOnQueue && samples.completion == nil)
    }
  }
}
