import CJacquard

/// The number of elements that wait for the task that iterates.
public enum Buffering: Sendable, Hashable {
  /// At most this number waits: the oldest one is dropped for each that does not fit, and counted in `Events.dropped`.
  /// Use it for samples that are worthless when they are late.
  case newest(Int)
  /// All wait, and none is dropped unnoticed: if more than this number waits, the sequence ends after those with the
  /// error `.overflow`.
  case all(limit: Int)

  /// The default for everything but touch samples, raw data and advertisements.
  public static let everything = Buffering.all(limit: 65536)
}

/// Events of the library. They are collected from the first run of the library's loop after the call that returns the
/// sequence, not from the first iteration, and until the sequence and its iterators have been released.
///
/// A sequence has one reader; call the function again for another one. It keeps the object to which the events belong.
/// It ends when that object ends, and throws the error that ended it. If the task that waits for an element is
/// cancelled, the sequence ends without an error.
public struct Events<Element: Sendable>: AsyncSequence, Sendable {
  /// The error that ends a sequence.
  public typealias Failure = JacquardError

  let channel: Channel<Element>
  private let handle: Handle
  private let owner: any Sendable

  init(_ channel: Channel<Element>, _ handle: Handle, _ owner: any Sendable) {
    self.channel = channel
    self.handle = handle
    self.owner = owner
  }

  /// The number of elements that did not fit into the buffer.
  public var dropped: Int { channel.dropped }

  /// Calls a function with each element, on the library's thread, without a task: for another API over this one. It
  /// must not wait. Elements in the buffer are delivered during this call. The sequence cannot be iterated too.
  ///
  /// - Parameter onEnd: called once if the sequence ends before it is released, with the error that ended it
  @_spi(Callbacks) public func deliver(
    to body: @escaping @Sendable (Element) -> Void, onEnd: @escaping @Sendable (JacquardError?) -> Void = { _ in }
  ) {
    channel.deliver { next in
      switch next {
      case .success(let element?): body(element)
      case .success(nil): onEnd(nil)
      case .failure(let error): onEnd(error)
      }
    }
  }

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(events: self)
  }

  /// Reads events.
  public struct Iterator: AsyncIteratorProtocol {
    let events: Events

    /// The next event; nil at the end, or if the task is cancelled.
    public mutating func next() async throws(JacquardError) -> Element? {
      try await events.channel.next().get()
    }

    /// The next event, for a `for` loop on an actor; nil at the end, or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(JacquardError) -> Element? {
      try await events.channel.next().get()
    }
  }
}

/// Registers a callback for events.
func subscribe<C, Element>(
  _ owner: any Sendable, _ buffering: Buffering, _ convert: @escaping @Sendable (C) -> Element?,
  isLast: @escaping @Sendable (Element) -> Bool = { _ in false },
  unref: @escaping @Sendable (OpaquePointer) -> Void = { jacquard_subscription_unref($0) },
  _ start: (_ context: UnsafeMutableRawPointer, _ handle: UnsafeMutablePointer<OpaquePointer?>) -> Int32
) throws(JacquardError) -> Events<Element> {
  let channel = Channel<Element>(
    buffering, { convert($0.assumingMemoryBound(to: C.self).pointee) }, isLast: isLast)
  var pointer: OpaquePointer?
  try register(channel) { start($0, &pointer) }
  guard let pointer else { throw JacquardError(.internal) }
  return Events(channel, Handle(pointer, unref), owner)
}
