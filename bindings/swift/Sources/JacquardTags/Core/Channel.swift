/// The buffer between the library's thread and the task that iterates.
/// The functions for each event have a version for touch samples, which takes half of the instructions: those of a
/// generic class are not specialized otherwise.
final class Channel<Element: Sendable>: Context, @unchecked Sendable {
  typealias Next = Result<Element?, JacquardError>

  private struct State {
    var elements: [Element?] = []
    /// The index of the oldest element; those before it are nil.
    var first = 0
    var waiters: [UnsafeContinuation<Next, Never>] = []
    var end: JacquardError??
    var dropped = 0
    /// Receives each element instead of a task.
    var sink: (@Sendable (Next) -> Void)?

    var count: Int { elements.count - first }

    mutating func removeFirst() -> Element? {
      guard count > 0 else { return nil }
      let element = elements[first]
      elements[first] = nil
      first += 1
      if first == elements.count {
        elements.removeAll(keepingCapacity: first <= 256)
        first = 0
      } else if first > 64, first > count {
        elements.removeFirst(first)
        first = 0
      }
      return element
    }

    /// The next element or the end; nil: neither is there. An error is reported once.
    mutating func ready() -> Next? {
      if let element = removeFirst() { return .success(element) }
      guard let end else { return nil }
      self.end = .some(nil)
      return end.map { .failure($0) } ?? .success(nil)
    }
  }

  private let state = Lock(State())
  private let buffering: Buffering
  private let convert: @Sendable (UnsafeRawPointer) -> Element?
  private let isLast: @Sendable (Element) -> Bool
  /// - Parameter isLast: whether the sequence ends after this element
  init(
    _ buffering: Buffering, _ convert: @escaping @Sendable (UnsafeRawPointer) -> Element?,
    isLast: @escaping @Sendable (Element) -> Bool = { _ in false }
  ) {
    self.buffering = buffering
    self.convert = convert
    self.isLast = isLast
  }

  var dropped: Int { state.withLock { $0.dropped } }

  @_specialize(where Element == Touch)
  override func receive(_ event: UnsafeRawPointer) {
    guard let element = convert(event) else { return }
    push(element)
    if isLast(element) { finish(nil) }
  }

  override func complete(_ answer: Answer, _ error: JacquardError?) {
    finish(error)
  }

  override func ended() {
    finish(nil)
  }

  /// Objects are released after the lock: the end of a connection may wait for a callback that needs the lock.
  @_specialize(where Element == Touch)
  private func push(_ element: Element) {
    typealias Places = (UnsafeContinuation<Next, Never>?, (@Sendable (Next) -> Void)?, Element?)
    let (waiter, sink, oldest) = state.withLock { state -> Places in
      guard state.end == nil else { return (nil, nil, nil) }
      if let sink = state.sink { return (nil, sink, nil) }
      if !state.waiters.isEmpty { return (state.waiters.removeFirst(), nil, nil) }
      var oldest: Element?
      switch buffering {
      case .newest(let limit) where state.count >= max(limit, 1):
        oldest = state.removeFirst()
        state.dropped += 1
      case .all(let limit) where state.count >= max(limit, 1):
        state.dropped += 1
        state.end = .some(JacquardError(.overflow))
        return (nil, nil, nil)
      default: break
      }
      state.elements.append(element)
      return (nil, nil, oldest)
    }
    _ = oldest
    sink?(.success(element))
    waiter?.resume(returning: .success(element))
  }

  /// Ends the sequence after the elements that are in the buffer. Only the first call has an effect.
  override func finish(_ error: JacquardError?) {
    typealias Places = ([UnsafeContinuation<Next, Never>], (@Sendable (Next) -> Void)?)
    let (waiters, sink) = state.withLock { state -> Places in
      guard state.end == nil else { return ([], nil) }
      state.end = .some(error)
      defer { (state.waiters, state.sink) = ([], nil) }
      return (state.waiters, state.sink)
    }
    sink?(error.map { .failure($0) } ?? .success(nil))
    for (index, waiter) in waiters.enumerated() {
      waiter.resume(returning: index == 0 && error != nil ? .failure(error!) : .success(nil))
    }
  }

  /// Ends the sequence without the elements that are in the buffer.
  func cancel() {
    finish(nil)
    let elements = state.withLock { state in
      defer {
        state.elements = []
        state.first = 0
        state.end = .some(nil)
      }
      return state.elements
    }
    _ = elements
  }

  /// Delivers the elements in the buffer here, and those that follow on the library's thread, in their order.
  func deliver(to sink: @escaping @Sendable (Next) -> Void) {
    while let next = state.withLock({ state -> Next? in
      let next = state.ready()
      if next == nil { state.sink = sink }
      return next
    }) {
      sink(next)
      guard case .success(.some) = next else { return }
    }
  }

  @_specialize(where Element == Touch)
  func next() async -> Next {
    if let next = state.withLock({ $0.ready() }) { return next }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { (waiter: UnsafeContinuation<Next, Never>) in
        let next = state.withLock { state in
          let next = state.ready()
          if next == nil { state.waiters.append(waiter) }
          return next
        }
        if let next { waiter.resume(returning: next) }
      }
    } onCancel: {
      cancel()
    }
  }
}
