import CLinux

/// The events to wait for on a descriptor. Hang-up and error are always reported: once if nothing else is waited for,
/// because then the handler can do nothing about them, otherwise in each dispatch.
public struct IOInterest: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Waits for EPOLLIN.
  public static let readable = IOInterest(rawValue: 1)
  /// Waits for EPOLLOUT.
  public static let writable = IOInterest(rawValue: 2)

  var epollEvents: UInt32 {
    if isEmpty { return EPOLLET.rawValue }
    return (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
  }
}

/// The readiness of a descriptor. Plain flags, because an option set of another module is accessed through witness
/// tables.
public struct IOReadiness: Hashable, Sendable {
  /// EPOLLIN was reported, or the loop presumes that data may have arrived.
  public let readable: Bool
  /// EPOLLOUT was reported: a write does not block.
  public let writable: Bool
  /// EPOLLHUP was reported: the other end is closed.
  public let hangup: Bool
  /// EPOLLERR was reported; the error of a socket is in its option SO_ERROR.
  public let error: Bool

  /// Data may have arrived.
  static let presumed = IOReadiness(epollEvents: EPOLLIN.rawValue)

  init(epollEvents events: UInt32) {
    readable = events & EPOLLIN.rawValue != 0
    writable = events & EPOLLOUT.rawValue != 0
    hangup = events & EPOLLHUP.rawValue != 0
    error = events & EPOLLERR.rawValue != 0
  }
}

/// A watched descriptor. Cancel the watch before closing the descriptor: the kernel keeps watching a closed descriptor
/// while a duplicate of it is open anywhere.
public final class IOWatch {
  /// The watched descriptor. Its owner closes it after `cancel()`; the watch never does.
  public let descriptor: Int32
  /// The events that the watch waits for, as the last successful `modify(_:)` set them.
  public private(set) var interest: IOInterest
  private(set) var handler: ((IOReadiness) -> Void)?
  let key: WatchTable.Key
  /// Whether the handler may be called although there is nothing to read.
  let canPresume: Bool
  private weak var loop: EventLoop?

  init(
    descriptor: Int32, interest: IOInterest, key: WatchTable.Key, canPresume: Bool, loop: EventLoop,
    handler: @escaping (IOReadiness) -> Void
  ) {
    self.descriptor = descriptor
    self.interest = interest
    self.key = key
    self.canPresume = canPresume
    self.loop = loop
    self.handler = handler
  }

  /// Changes the events to wait for. Does nothing if they are already selected, or after `cancel()`.
  public func modify(_ interest: IOInterest) throws(SystemError) {
    guard interest != self.interest, let loop else { return }
    try loop.modify(self, interest)
    self.interest = interest
  }

  /// The handler is not called after this, not even for readiness that the current dispatch has already seen.
  public func cancel() {
    loop?.cancel(self)
    loop = nil
    // Released last, after it was removed here, because releasing it may call back into this object.
    let released = handler
    handler = nil
    withExtendedLifetime(released) {}
  }
}

/// The watched descriptors. A key consists of a slot and the slot's generation, so that readiness that the kernel
/// reported before a watch was cancelled cannot reach the next watch in that slot.
struct WatchTable {
  struct Key: Equatable {
    let slot: UInt32
    let generation: UInt32

    init(slot: UInt32, generation: UInt32) {
      self.slot = slot
      self.generation = generation
    }

    init(epollData data: UInt64) {
      slot = UInt32(truncatingIfNeeded: data)
      generation = UInt32(truncatingIfNeeded: data >> 32)
    }

    var epollData: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
  }

  private struct Slot {
    var generation: UInt32
    var watch: IOWatch?
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []

  /// The key of the next inserted watch.
  mutating func reserve() -> Key {
    if let slot = free.popLast() { return Key(slot: slot, generation: slots[Int(slot)].generation) }
    slots.append(Slot(generation: 0, watch: nil))
    return Key(slot: UInt32(slots.count - 1), generation: 0)
  }

  mutating func insert(_ watch: IOWatch) {
    slots[Int(watch.key.slot)].watch = watch
  }

  mutating func release(_ key: Key) {
    slots[Int(key.slot)].watch = nil
    slots[Int(key.slot)].generation &+= 1
    free.append(key.slot)
  }

  /// Nil unless there is exactly one.
  var only: IOWatch? {
    guard slots.count - free.count == 1 else { return nil }
    return slots.first { $0.watch != nil }?.watch
  }

  subscript(key: Key) -> IOWatch? {
    guard key.slot < slots.count, slots[Int(key.slot)].generation == key.generation else { return nil }
    return slots[Int(key.slot)].watch
  }
}
