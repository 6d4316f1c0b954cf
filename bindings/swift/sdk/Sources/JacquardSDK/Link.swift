import Dispatch
import Foundation
@_spi(Callbacks) import JacquardTags
import OpenCombine

/// The connection to one tag, from `connect()` to `.disconnected`, which all calls of `connect()` share.
final class Link {
  let identifier: UUID
  let queue: DispatchQueue
  let states: Feed<TagConnectionState, Error>
  let tags: Feed<ConnectedTag?, Never>
  /// Called once, before the state `.disconnected` is delivered.
  var onEnd: () -> Void = {}
  /// The previous connection to the tag while it ends; this one waits for it.
  var predecessor: Link?
  private let lock = NSRecursiveLock()
  private var connection: Connection?
  /// Sequences, which deliver as long as they are kept.
  private var events: [Any] = []
  private var rawEvents: [Any]?
  private var serializedEvents: Any?
  private var tag: LinkedTag?
  private var task: Task<Void, Never>?
  private var isEnding = false
  private var isEnded = false
  private var isPreparing = true
  private var successor: (() -> Void)?

  init(_ identifier: UUID, _ queue: DispatchQueue) {
    (self.identifier, self.queue) = (identifier, queue)
    states = Feed(queue, .latest, first: [.preparingToConnect])
    tags = Feed(queue, .latest, first: [nil])
  }

  deinit { task?.cancel() }

  /// Opens the connection after `prepare`, for example a question to the user; `disconnect()` cancels `prepare`.
  func begin<Value>(
    after prepare: @escaping () async throws -> Value, _ open: @escaping (Value) throws -> Connection
  ) {
    let task = Task { [weak self] in
      do {
        let value = try await prepare()
        self?.begin { try open(value) }
      } catch {
        self?.end(error as? JacquardError)
      }
    }
    let isEnded = lock.withLock {
      self.task = task
      return self.isEnded
    }
    if isEnded { task.cancel() }
  }

  /// Opens the connection now.
  func begin(_ open: () throws -> Connection) {
    do {
      let states = try lock.withLock { () -> Events<ConnectionState>? in
        guard !isEnding, !isEnded else { return nil }
        let connection = try open()
        (self.connection, predecessor) = (connection, nil)
        return try connection.states()
      }
      guard let states, let connection = lock.withLock({ connection }) else { return }
      try subscribe(connection, states)
    } catch {
      end(error as? JacquardError)
    }
  }

  /// All events of a connection come from one thread, in order, so that each belongs to the tag of the last state.
  private func subscribe(_ connection: Connection, _ states: Events<ConnectionState>) throws {
    let gestures = try connection.gestures()
    let touches = try connection.touches()
    let batteries = try connection.batteries()
    let loads = try connection.moduleLoads()
    let names = try connection.names()
    let gear = try connection.gear()
    lock.withLock { if !isEnded { events = [states, gestures, touches, batteries, loads, names, gear] } }
    states.deliver { [weak self] in
      self?.receive($0)
    } onEnd: { [weak self] in
      self?.end($0)
    }
    gestures.deliver { [weak self] in Gesture($0).map { self?.current?.receive($0) } }
    touches.deliver { [weak self] in self?.current?.receive(TouchData($0)) }
    batteries.deliver { [weak self] in self?.current?.receive(BatteryStatus($0)) }
    loads.deliver { [weak self] in
      self?.current?.receive($0.tagStatus == .ok ? ModuleStatus.activated : .deactivated)
    }
    names.deliver { [weak self] in self?.current?.receive(name: $0) }
    gear.deliver { [weak self] in self?.current?.receive(gear: $0) }
  }

  private var current: LinkedTag? { lock.withLock { tag } }

  /// Delivers raw data too, from now on.
  func receiveRaw() {
    guard let connection = lock.withLock({ rawEvents == nil ? connection : nil }) else { return }
    guard let data = try? connection.rawData(), let values = try? connection.rawValues() else { return }
    let isFirst = lock.withLock {
      defer { rawEvents = rawEvents ?? [data, values] }
      return rawEvents == nil
    }
    guard isFirst else { return }
    data.deliver { [weak self] in self?.current?.receive(rawData: $0) }
    values.deliver { [weak self] in self?.current?.receive(rawValue: $0) }
  }

  /// Delivers serialised notifications too, from now on.
  func receiveSerialized() {
    guard let connection = lock.withLock({ serializedEvents == nil ? connection : nil }) else { return }
    guard let notifications = try? connection.notifications() else { return }
    let isFirst = lock.withLock {
      defer { serializedEvents = serializedEvents ?? notifications }
      return serializedEvents == nil
    }
    if isFirst { notifications.deliver { [weak self] in self?.current?.receive(Data($0)) } }
  }

  private func receive(_ state: ConnectionState) {
    switch state.phase {
    case .connected:
      guard let tag = state.tag, tag != current?.tag else { return }
      cut()
      guard let linked = try? LinkedTag(tag, self) else { return }
      lock.withLock { (self.tag, isPreparing) = (linked, false) }
      states.send(.connected(linked))
      tags.send(linked)
    case .disconnected: end(state.reason)
    default:
      cut()
      guard let next = TagConnectionState(state) else { return }
      let isRepeated = lock.withLock {
        defer { isPreparing = next.isPreparing }
        return isPreparing && next.isPreparing
      }
      if !isRepeated { states.send(next) }
    }
  }

  /// The tag's link has ended.
  private func cut() {
    let old = lock.withLock {
      defer { tag = nil }
      return tag
    }
    guard let old else { return }
    old.end()
    tags.send(nil)
  }

  /// Disconnects, or ends the preparation for the connection.
  func disconnect() {
    let (connection, task) = lock.withLock {
      isEnding = true
      return (self.connection, self.task)
    }
    guard let connection else {
      task?.cancel()
      return end(nil)
    }
    Task.immediate { try? await connection.disconnect() }
  }

  /// Whether the connection has ended or is ending, and cannot be joined.
  var isOver: Bool { lock.withLock { isEnding || isEnded } }

  /// Calls a function after the end.
  func afterEnd(_ next: @escaping () -> Void) {
    let isEnded = lock.withLock {
      if !self.isEnded { successor = next }
      return self.isEnded
    }
    if isEnded { next() }
  }

  private func end(_ error: JacquardError?) {
    cut()
    let ended = lock.withLock { () -> (Connection?, [Any], (() -> Void)?)? in
      guard !isEnded else { return nil }
      isEnded = true
      defer { (connection, events, rawEvents, serializedEvents, successor) = (nil, [], nil, nil, nil) }
      return (connection, [events, rawEvents as Any, serializedEvents as Any], successor)
    }
    guard let (_, _, next) = ended else { return }
    onEnd()
    states.send(.disconnected(error.map { TagConnectionError($0) }))
    next?()
  }
}
