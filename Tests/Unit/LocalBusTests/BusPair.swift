import DBus
import EventLoop
import LocalBus
import PrivateBus
import Testing

@testable import DBus

/// A bus of either kind, and the loop of its clients.
final class BusPair {
  private let loop: EventLoop
  private let daemon: PrivateBus?
  private let local: LocalBus?

  /// Runs `body` on its own loop, with a bus of that kind.
  static func run(_ kind: LocalBusTests.Kind, _ body: sending @escaping (BusPair) async throws -> Void) async throws {
    let loop = try EventLoop()
    let thread = try LoopThread(loop)
    defer {
      thread.stop()
      loop.close()
      loop.drain()
    }
    try await loop.run {
      let pair = try BusPair(kind, loop)
      defer { pair.local?.kill() }
      try await loop.withDeadline(.seconds(60), expired: BusError.deadline as any Error) { try await body(pair) }
    }
  }

  private init(_ kind: LocalBusTests.Kind, _ loop: EventLoop) throws {
    self.loop = loop
    daemon = kind == .daemon ? try PrivateBus() : nil
    local = kind == .local ? try LocalBus(loop) : nil
  }

  func connect() async throws -> BusConnection {
    let connection = BusConnection(loop, try BusAddress(daemon?.address ?? local?.address ?? ""))
    try await connection.open()
    return connection
  }

  func restart() throws {
    try daemon?.restart()
    local?.kill()
    try local?.start()
  }
}

extension BusConnection {
  /// Calls `handler` for all signals that the bus sends, without a match rule.
  func observeSignals(_ handler: @escaping (MessageView) -> Void) {
    routes.append(SignalRoute(MatchRule(), owner: nil, handler))
  }
}

/// The received signals.
final class Seen {
  private(set) var all: [Message] = []
  private var awaited: (count: Int, Completion<Void, CancellationError>)?

  var bodies: [[Value]] { all.map { $0.body() } }

  func note(_ signal: MessageView) {
    let message = Message(signal)
    guard message.member != "NameAcquired" else { return }
    all.append(message)
    if let (count, completion) = awaited, all.count >= count { completion.succeed(()) }
  }

  /// Returns when that many have arrived.
  func count(_ count: Int) async throws {
    guard all.count < count else { return }
    let completion = Completion<Void, CancellationError>()
    awaited = (count, completion)
    try await completion.value()
  }
}

final class Kept {
  var calls: [MethodCall] = []
}

/// The name of a remote error. The messages of the two buses differ.
struct ErrorNamed: Error, Equatable {
  let name: String

  init(_ name: String) { self.name = name }

  static func rethrow(_ body: () async throws -> Message) async throws {
    do { _ = try await body() } catch let error as BusError { throw ErrorNamed(error.name ?? "\(error)") }
  }
}

extension MatchRule {
  static let ownerChanges = MatchRule(
    sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
}
