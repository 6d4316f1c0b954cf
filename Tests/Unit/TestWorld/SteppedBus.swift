import DBus
import EventLoop
import Glibc
import PrivateBus

/// A real bus and one loop with virtual time, advanced by the calling thread: time advances to the next timer only
/// while nothing is pending on the bus. A test of minutes takes milliseconds, and does not depend on the speed of the
/// machine.
public final class SteppedBus {
  public let bus: PrivateBus
  public let time: VirtualClock
  public let loop: EventLoop
  private var probe: Probe?
  private var frozen = false
  /// The instants of due timers.
  public private(set) var wakeUps = 0

  /// - Parameter timeMoves: whether each read of the clock advances it by 7 µs.
  public init(mostMatchRules: Int = 50_000, timeMoves: Bool = false) throws {
    time = timeMoves ? VirtualClock { .microseconds(7) } : VirtualClock()
    bus = try PrivateBus(mostMatchRules: mostMatchRules)
    loop = try EventLoop(clock: .virtual(time))
    probe = try Probe(bus)
  }

  deinit { close() }

  public var address: BusAddress { get throws { try BusAddress(bus.address) } }

  /// Ends the loop and all its tasks.
  public func close() {
    loop.close()
    loop.drain()
  }

  // MARK: Faults of the bus

  public func killBus() {
    probe = nil
    bus.kill()
  }

  public func startBus() throws {
    try bus.start()
    probe = try Probe(bus)
  }

  public func freezeBus() {
    frozen = true
    bus.freeze()
  }

  public func thawBus() {
    bus.thaw()
    frozen = false
    // dbus-daemon accepts one queued connection per iteration; its queue has 30.
    for _ in 0..<64 { probe?.goRound() }
  }

  // MARK: Running

  /// Runs everything that is due now, until the bus is idle. Inside a dispatch, that dispatch does it.
  public func settle() {
    repeat { while isReadable, !loop.isOnLoop { dispatch() } } while !isQuiet && !loop.isOnLoop
  }

  /// Runs until `condition` holds, but for at most `limit` of virtual time. Returns whether it holds.
  @discardableResult
  public func run(until condition: () -> Bool, within limit: Duration = .seconds(600)) -> Bool {
    let end = time.now.advanced(by: limit)
    settle()
    while !condition() {
      guard time.now < end else { return false }
      // Advance by one timer at a time, because its effects may set the next one.
      let next = min(loop.nextDeadline ?? end, end)
      if loop.nextDeadline == next { wakeUps += 1 }
      time.advance(by: max(time.now.duration(to: next), .zero))
      settle()
    }
    return true
  }

  /// Lets time pass and runs everything that becomes due.
  public func pass(_ duration: Duration) { run(until: { false }, within: duration) }

  public struct NeverEnded: Error {}

  /// Runs `body` to its end as a task of the loop.
  public func run<Value>(_ body: @escaping () async throws -> Value) throws -> Value {
    var result: Result<Value, any Error>?
    loop.spawn {
      do { result = .success(try await body()) } catch { result = .failure(error) }
    }
    run(until: { result != nil })
    guard let result else { throw NeverEnded() }
    return try result.get()
  }

  private var isReadable: Bool {
    var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1
  }

  private func dispatch() { try? loop.dispatch() }

  /// Whether the loop is still idle after the daemon has run enough iterations to accept a few connections, one per
  /// iteration, then read and reply.
  private var isQuiet: Bool {
    Spawning.excluded {
      guard let probe, !frozen else { return !isReadable }
      for _ in 0..<8 {
        probe.goRound()
        if isReadable { return false }
      }
      return true
    }
  }
}

/// An additional connection that shows when the daemon has read everything written earlier.
private final class Probe {
  private let loop: EventLoop
  private let connection: BusConnection

  init(_ bus: PrivateBus) throws {
    let loop = try EventLoop()
    self.loop = loop
    connection = BusConnection(loop, try BusAddress(bus.address))
    var opened: Result<Void, any Error>?
    loop.spawn { [connection] in
      do { opened = .success(try await connection.open()) } catch { opened = .failure(error) }
    }
    Self.dispatch(loop) { opened != nil }
    try opened?.get()
  }

  deinit {
    connection.close()
    loop.close()
    loop.drain()
  }

  func goRound() {
    var answered = false
    guard
      let question = try? Message.methodCall(
        destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "GetId"),
      (try? connection.call(question, completion: { (_: Result<Message, BusError>) in answered = true })) != nil
    else { return }
    Self.dispatch(loop) { answered }
  }

  private static func dispatch(_ loop: EventLoop, until done: () -> Bool) {
    while !done() {
      var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 5000) == 1, (try? loop.dispatch()) != nil else { return }
    }
  }
}
