import Dispatch
import Foundation
import JacquardTags
import OpenCombine

/// A connected tag for the duration of one link. Its publishers fall silent with the link.
final class LinkedTag: ConnectedTag, SubscribableTag {
  let identifier: UUID
  let tag: JacquardTags.Tag
  let firmwareUpdateManager: FirmwareUpdateManager
  let tagComponent: Component
  let queue: DispatchQueue
  private weak var link: Link?
  private let names: Feed<String, Never>
  private let gear: Feed<Component?, Never>
  private let strengths: Feed<Float, Never>
  private let rawData: Feed<[UInt8], Never>
  private let rawValues: Feed<[UInt8], Never>
  /// All notifications but touch samples, and the latter: kept for the program, which makes its subscriptions on its
  /// queue later than the first notification may arrive. Gestures are few; of touch samples only the newest matter.
  private let notifications: Feed<Any, Never>
  private let touches: Feed<TouchData, Never>
  private let lock = NSLock()
  private var isKeeping = true
  private var isRegistered = false
  private var lastName: String

  init(_ tag: JacquardTags.Tag, _ link: Link) throws {
    guard let component = LinkedComponent(try tag.component) else { throw JacquardCommandError.malformedResponse }
    (self.tag, self.link, identifier, queue, tagComponent) = (tag, link, link.identifier, link.queue, component)
    lastName = try tag.info.name
    firmwareUpdateManager = CloudlessFirmwareUpdateManager(queue)
    names = Feed(queue, .latest, first: [lastName])
    gear = Feed(queue, .latest, first: [try tag.components.dropFirst().first.flatMap { LinkedComponent($0) }])
    (strengths, rawData, rawValues) = (Feed(queue, .nothing), Feed(queue, .nothing), Feed(queue, .nothing))
    notifications = Feed(queue, .everything(limit: 4096))
    touches = Feed(queue, .everything(limit: 256))
  }

  var displayName: String { name }
  var name: String { lock.withLock { lastName } }
  var namePublisher: AnyPublisher<String, Never> { names.eraseToAnyPublisher() }
  var rssiPublisher: AnyPublisher<Float, Never> { strengths.eraseToAnyPublisher() }
  var gearComponent: Component? { gear.latest ?? nil }
  var connectedGear: AnyPublisher<Component?, Never> { gear.eraseToAnyPublisher() }

  func readRSSI() { strengths.send(Float(tag.connection.rssi ?? 127)) }

  // MARK: Commands

  func enqueue<R: CommandRequest>(_ commandRequest: R) -> AnyPublisher<R.Response, Error> {
    request(queue) { [tag] in try await commandRequest.send(to: tag) }
  }

  func enqueue<R: CommandRequest>(_ commandRequest: R, retries: Int) -> AnyPublisher<R.Response, Error> {
    enqueue(commandRequest)
  }

  func setTouchMode(_ newTouchMode: TouchMode, for component: Component) -> AnyPublisher<Void, Error> {
    request(queue) { [tag] in
      try await component.linked(to: tag).setTouchMode(newTouchMode == .gesture ? .gesture : .continuous)
    }
  }

  func setName(_ name: String) throws -> AnyPublisher<Void, Error> {
    guard name != self.name, (1...21).contains(name.utf8.count) else { throw SetNameError.invalidParameter }
    return request(queue) { [tag] in try await tag.rename(name) }
  }

  func send(data: Data) {
    _ = request(queue) { [tag] in try await tag.sendRequest([UInt8](data)) }
  }

  // MARK: Subscriptions

  func registerSubscriptions(_ subscriptions: (SubscribableTag) -> Void) {
    subscriptions(self)
    lock.withLock { isRegistered = true }
  }

  func subscribe<S: NotificationSubscription>(_ subscription: S) -> AnyPublisher<S.Notification, Never> {
    if subscription is ContinuousTouchNotificationSubscription {
      return Extracted(feed: touches) { $0 as? S.Notification }.eraseToAnyPublisher()
    }
    if !(subscription is any ServedSubscription) { link?.receiveSerialized() }
    return Extracted(feed: notifications) { subscription.extract(from: $0) }.eraseToAnyPublisher()
  }

  func subscribeRawData() -> AnyPublisher<Data, Never> {
    link?.receiveRaw()
    return Extracted(feed: rawData) { Data($0) }.eraseToAnyPublisher()
  }

  func subscribeRawBytes() -> AnyPublisher<[UInt8], Never> {
    link?.receiveRaw()
    return rawData.eraseToAnyPublisher()
  }

  func subscribeRawDataPacket() -> AnyPublisher<Data, Never> {
    link?.receiveRaw()
    return Extracted(feed: rawValues) { Data($0) }.eraseToAnyPublisher()
  }

  // MARK: On the library's thread

  func receive(_ notification: Any) {
    notifications.send(notification)
    stopKeeping()
  }

  func receive(_ touch: TouchData) {
    touches.send(touch)
    stopKeeping()
  }

  /// Notifications are kept until the first one after the first `registerSubscriptions()`.
  private func stopKeeping() {
    let stops = lock.withLock {
      defer { if isRegistered { isKeeping = false } }
      return isRegistered && isKeeping
    }
    guard stops else { return }
    notifications.forget()
    touches.forget()
  }

  func receive(name: String) {
    let isNew = lock.withLock {
      defer { lastName = name }
      return lastName != name
    }
    if isNew { names.send(name) }
  }

  func receive(gear component: JacquardTags.Component?) {
    guard (gearComponent as? LinkedComponent)?.component != component else { return }
    gear.send(component.flatMap { LinkedComponent($0) })
  }

  func receive(rawData bytes: [UInt8]) { rawData.send(bytes) }

  func receive(rawValue bytes: [UInt8]) { rawValues.send(bytes) }

  /// The link has ended.
  func end() {
    names.close()
    gear.close()
    strengths.close()
    rawData.close()
    rawValues.close()
    notifications.close()
    touches.close()
  }
}

/// The values of a feed that a function finds.
private struct Extracted<Element, Output>: Publisher {
  typealias Failure = Never

  let feed: Feed<Element, Never>
  let extract: (Element) -> Output?

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    feed.attach(subscriber, extract)
  }
}
