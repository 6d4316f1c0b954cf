import Dispatch
import Foundation
import OpenCombine

/// The values that a later subscriber gets.
enum Replay {
  case nothing
  case latest
  /// At most this number of values.
  case everything(limit: Int)
}

/// A publisher that the library's thread feeds, and whose subscribers receive on a queue of the program: each value
/// asynchronously, also one that is replayed, in order, and without loss while the queue is blocked.
final class Feed<Output, Failure: Error>: Publisher, @unchecked Sendable {
  let queue: DispatchQueue
  private let lock = NSRecursiveLock()
  private var replay: Replay
  private var kept: [Output] = []
  private var completion: Subscribers.Completion<Failure>?
  private var isClosed = false
  private var receivers: [CombineIdentifier: Receiver] = [:]

  /// A subscription with its conversion.
  private struct Receiver {
    let receive: (Output) -> Void
    let complete: (Subscribers.Completion<Failure>) -> Void
  }

  init(_ queue: DispatchQueue, _ replay: Replay, first: [Output] = []) {
    (self.queue, self.replay, kept) = (queue, replay, first)
  }

  /// The latest value, or nil if values are not kept.
  var latest: Output? { lock.withLock { kept.last } }

  func send(_ value: Output) {
    lock.withLock {
      guard !isClosed, completion == nil else { return }
      switch replay {
      case .nothing: break
      case .latest: kept = [value]
      case .everything(let limit):
        if kept.count >= limit { kept.removeFirst() }
        kept.append(value)
      }
      receivers.values.forEach { $0.receive(value) }
    }
  }

  func fail(_ error: Failure) { complete(.failure(error)) }

  func complete(_ completion: Subscribers.Completion<Failure>) {
    lock.withLock {
      guard !isClosed, self.completion == nil else { return }
      self.completion = completion
      receivers.values.forEach { $0.complete(completion) }
      receivers = [:]
    }
  }

  /// Ends without a completion: subscribers get the values that were sent before, and then nothing.
  func close() {
    lock.withLock {
      isClosed = true
      receivers = [:]
      kept = []
    }
  }

  /// From now on nothing is replayed.
  func forget() {
    lock.withLock { (replay, kept) = (.nothing, []) }
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(subscriber) { $0 }
  }

  /// - Parameter convert: nil for values that this subscriber does not get; called on the thread that sends
  func attach<S: Subscriber>(_ subscriber: S, _ convert: @escaping (Output) -> S.Input?) where S.Failure == Failure {
    let delivery = Delivery(subscriber, queue)
    let id = delivery.combineIdentifier
    delivery.onCancel = { [weak self] in self?.remove(id) }
    subscriber.receive(subscription: delivery)
    lock.withLock {
      guard !delivery.isCancelled else { return }
      kept.forEach { value in convert(value).map(delivery.receive) }
      if let completion {
        delivery.complete(completion)
      } else if !isClosed {
        receivers[id] = Receiver(
          receive: { value in convert(value).map(delivery.receive) }, complete: { delivery.complete($0) })
      }
    }
  }

  private func remove(_ id: CombineIdentifier) {
    let receiver = lock.withLock { receivers.removeValue(forKey: id) }
    _ = receiver
  }
}

/// One subscription: values wait here for the queue and for the demand of the subscriber. A block on the queue delivers
/// one value, so that the values of different publishers arrive in their common order.
private final class Delivery<Downstream: Subscriber>: Subscription {
  private enum Event {
    case value(Downstream.Input)
    case end(Subscribers.Completion<Downstream.Failure>)
  }

  var onCancel: () -> Void = {}
  private let queue: DispatchQueue
  private let lock = NSLock()
  private var downstream: Downstream?
  private var events: [Event?] = []
  private var first = 0
  private var demand = Subscribers.Demand.none
  private var isDelivering = false
  /// Blocks that ran on another thread during a delivery.
  private var missed = 0

  init(_ downstream: Downstream, _ queue: DispatchQueue) {
    (self.downstream, self.queue) = (downstream, queue)
  }

  var isCancelled: Bool { lock.withLock { downstream == nil } }

  func receive(_ value: Downstream.Input) { add(.value(value)) }

  func complete(_ completion: Subscribers.Completion<Downstream.Failure>) { add(.end(completion)) }

  private func add(_ event: Event) {
    let isWanted = lock.withLock {
      guard downstream != nil else { return false }
      events.append(event)
      return true
    }
    if isWanted { queue.async { self.deliver() } }
  }

  func request(_ more: Subscribers.Demand) {
    let count = lock.withLock {
      demand += more
      return events.count - first
    }
    for _ in 0..<count { queue.async { self.deliver() } }
  }

  func cancel() {
    let released = lock.withLock { () -> (Downstream?, [Event?]) in
      defer { (downstream, events, first) = (nil, [], 0) }
      return (downstream, events)
    }
    if released.0 != nil { onCancel() }
  }

  private func deliver() {
    guard let (downstream, event) = lock.withLock({ next() }) else { return }
    switch event {
    case .value(let value):
      let more = downstream.receive(value)
      let blocks = lock.withLock { () -> Int in
        isDelivering = false
        demand += more
        defer { missed = 0 }
        return missed
      }
      for _ in 0..<blocks { queue.async { self.deliver() } }
    case .end(let completion):
      downstream.receive(completion: completion)
      lock.withLock { self.downstream = nil }
    }
  }

  private func next() -> (Downstream, Event)? {
    guard let downstream, first < events.count, let event = events[first] else { return nil }
    if isDelivering {
      missed += 1
      return nil
    }
    if case .value = event {
      guard demand > 0 else { return nil }
      demand -= 1
    }
    events[first] = nil
    first += 1
    if first == events.count {
      events.removeAll(keepingCapacity: first <= 64)
      first = 0
    }
    isDelivering = true
    return (downstream, event)
  }
}
