import Foundation
import OpenCombine

/// The values of several publishers for one subscriber.
final class Gathering<Downstream: Subscriber>: Subscription {
  /// Guards the values of the operator too.
  let lock = NSRecursiveLock()
  private let keepsAll: Bool
  private var downstream: Downstream?
  private var demand = Subscribers.Demand.none
  private var values: [Downstream.Input] = []
  private var upstreams: [Subscription] = []
  private var remaining: Int
  private var completion: Subscribers.Completion<Downstream.Failure>?
  private var isDelivering = false

  /// - Parameter keepsAll: whether all values wait for the subscriber's demand, or the latest
  init(_ downstream: Downstream, count: Int, keepsAll: Bool) {
    (self.downstream, remaining, self.keepsAll) = (downstream, count, keepsAll)
    downstream.receive(subscription: self)
    if count == 0 { complete(.finished) }
  }

  /// - Parameter convert: the value for the subscriber; called with the lock
  func add<P: Publisher>(
    _ publisher: P, _ convert: @escaping (P.Output) -> Downstream.Input?
  ) where P.Failure == Downstream.Failure {
    publisher.subscribe(
      AnySubscriber(
        receiveSubscription: { subscription in
          let isWanted = self.lock.withLock {
            if self.downstream != nil { self.upstreams.append(subscription) }
            return self.downstream != nil
          }
          if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
        },
        receiveValue: { value in
          self.lock.withLock {
            guard let next = convert(value) else { return }
            if self.keepsAll { self.values.append(next) } else { self.values = [next] }
          }
          self.deliver()
          return .none
        }, receiveCompletion: { self.complete($0) }))
  }

  /// One publisher has completed: the last one finishes, and each can fail.
  func complete(_ end: Subscribers.Completion<Downstream.Failure>) {
    lock.withLock {
      remaining -= 1
      if case .failure = end {
        completion = completion ?? end
        values = []
      } else if remaining <= 0 {
        completion = completion ?? end
      }
    }
    deliver()
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { self.demand += demand }
    deliver()
  }

  func cancel() {
    let subscriptions = lock.withLock {
      defer { (downstream, upstreams, values) = (nil, [], []) }
      return upstreams
    }
    subscriptions.forEach { $0.cancel() }
  }

  /// One thread at a time delivers, outside of the lock.
  private func deliver() {
    while let (downstream, value) = lock.withLock({ next() }) {
      guard let value else { return end(downstream) }
      let more = downstream.receive(value)
      lock.withLock {
        demand += more
        isDelivering = false
      }
    }
  }

  /// The subscriber with its next value, or nil for the end.
  private func next() -> (Downstream, Downstream.Input?)? {
    guard let downstream, !isDelivering else { return nil }
    if values.isEmpty {
      isDelivering = completion != nil
      return isDelivering ? (downstream, nil) : nil
    }
    guard demand > 0 else { return nil }
    demand -= 1
    isDelivering = true
    return (downstream, values.removeFirst())
  }

  private func end(_ downstream: Downstream) {
    let completion = lock.withLock { self.completion }
    cancel()
    if let completion { downstream.receive(completion: completion) }
  }
}
