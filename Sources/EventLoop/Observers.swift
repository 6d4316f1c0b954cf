/// Handlers of an event, called in the order in which they were added. Handlers may be added and cancelled inside a
/// handler: a new handler receives the next event, a cancelled one receives no more.
///
/// `send` is called for every notification and is therefore inlinable: an unspecialised version would look up its types
/// in each call.
public final class Observers<Event> {
  /// A handler's registration. Releasing it does not end it: call `cancel()`.
  public final class Observation {
    @usableFromInline var handler: ((Event) -> Void)?
    fileprivate init(_ handler: @escaping (Event) -> Void) { self.handler = handler }

    /// Ends the registration: the handler does not receive another event, not even one that is being sent.
    public func cancel() { handler = nil }
  }

  @usableFromInline var observations: [Observation] = []
  /// The number of observations at which cancelled ones are removed: twice as many as were left the last time, so that
  /// adding costs the same however many there are.
  private var mostBeforeRemoval = 8

  /// Called when a handler has been added.
  public var onAdd: (() -> Void)?

  public init() {}

  /// Adds a handler, which receives events until its observation is cancelled or `removeAll()` is called.
  @discardableResult
  public func add(_ handler: @escaping (Event) -> Void) -> Observation {
    // If many are added and cancelled together, none of them is left for each event to visit.
    while let last = observations.last, last.handler == nil { observations.removeLast() }
    if observations.count >= mostBeforeRemoval {
      observations.removeAll { $0.handler == nil }
      mostBeforeRemoval = max(8, 2 * observations.count)
    }
    let observation = Observation(handler)
    observations.append(observation)
    onAdd?()
    return observation
  }

  /// Calls the handlers synchronously. A handler that one of them adds does not receive this event.
  @inlinable
  public func send(_ event: Event) {
    for observation in observations { observation.handler?(event) }
  }

  /// Cancels every observation. Handlers may be added again.
  public func removeAll() {
    for observation in observations { observation.cancel() }
    observations = []
  }

  /// Whether every handler has been cancelled. Takes time proportional to their number.
  public var isEmpty: Bool { observations.allSatisfy { $0.handler == nil } }
}

extension Observers {
  /// Waits until `condition` returns a value; evaluates it now and after each event. Its error ends the wait.
  public func until<Value, Failure: CancellableError>(
    _ condition: @escaping () throws(Failure) -> Value?
  ) async throws(Failure) -> Value {
    let met = Completion<Value, Failure>()
    let observation = complete(met, when: condition)
    defer { observation.cancel() }
    return try await met.value()
  }

  /// Waits until `condition` returns a value or throws; returns nil when `duration` has passed on `loop`.
  public func until<Value, Failure: CancellableError>(
    within duration: Duration, on loop: EventLoop, _ condition: @escaping () throws(Failure) -> Value?
  ) async throws(Failure) -> Value? {
    let met = Completion<Value?, Failure>()
    let observation = complete(met) { () throws(Failure) -> Value?? in try condition().map(Optional.some) }
    let timer = loop.schedule(after: duration, { met.succeed(nil) }, abandoned: { met.fail(.cancelled) })
    defer {
      observation.cancel()
      timer.cancel()
    }
    return try await met.value()
  }

  /// Waits for a condition that throws nothing; returns nil when `duration` has passed on `loop`.
  public func until<Value>(
    within duration: Duration, on loop: EventLoop, _ condition: @escaping () -> Value?
  ) async throws(CancellationError) -> Value? {
    try await until(within: duration, on: loop) { () throws(CancellationError) in condition() }
  }

  private func complete<Value, Failure>(
    _ met: Completion<Value, Failure>, when condition: @escaping () throws(Failure) -> Value?
  ) -> Observation {
    func check() {
      do throws(Failure) {
        if let value = try condition() { met.succeed(value) }
      } catch {
        met.fail(error)
      }
    }
    let observation = add { _ in check() }
    check()
    return observation
  }
}
