import CDBus
import DBus
import EventLoop
import Glibc
import LocalBus
import TagSimulator

/// The machine on which a life takes place: bus, bluetoothd, tags and programs, each with a loop or all on one, on
/// virtual time. Time does not advance until all work is done; then it advances to the next timer.
///
/// The seed decides which ready loop runs next, so every possible order may occur.
final class Stage {
  let time: VirtualClock
  let loop: EventLoop
  let bus: LocalBus
  let world: SimulatedWorld
  let daemon: FakeBlueZ
  var programs: [Program] = []

  private let trace: Trace
  private var dice: Dice
  private var descriptors: [pollfd] = []
  /// The number of turns since time last advanced.
  private var turns = 0
  private(set) var allTurns = 0
  private(set) var messages = 0
  /// Calls of programs to bluetoothd, and those of them that are `Connect`.
  private(set) var (calls, connects) = (0, 0)
  /// The instants to which time advanced for the timers of a program.
  private(set) var wakeUps = 0
  /// Whether a program that does not use the library has connected a tag.
  var othersConnect = false
  /// The reason if the life ended early.
  private(set) var failure: String?

  private static let mostTurns = 20_000

  init(_ plan: Plan, seed: UInt64, _ trace: Trace) throws {
    self.trace = trace
    dice = Dice(seed: seed, -1)
    let ticks = Locked(Dice(seed: seed, -4))
    time = plan.timeMoves ? VirtualClock { .nanoseconds(ticks.withLock { $0.below(50_001) }) } : VirtualClock()
    loop = try EventLoop(clock: .virtual(time))
    bus = try LocalBus(loop)
    world = SimulatedWorld(clock: SimulationClock(loop), tagCount: plan.tagCount)
    daemon = FakeBlueZ(try BusAddress(bus.address), clock: world.clock)
    world.inhabit(daemon)
    bus.passed = { [unowned self] in
      messages += 1
      if $0.kind == DBUS_MESSAGE_TYPE_METHOD_CALL {
        calls += 1
        if $0.member == "Connect" { connects += 1 }
      }
      note("bus \($0.serial) \($0.kind) \($0.sender)>\($0.destination) \($0.member) \($0.path) \($0.receivers)")
    }
    world.violated = { [unowned self] tag, violation in
      // A copy for another program is delivered while it is uncertain, and is therefore acknowledged.
      if plan.hasOtherPrograms, violation.kind == .acknowledgementUnexpected { return }
      // A host that ends cannot wait for the response to its last request, and its successor does not know of it.
      if plan.shares, violation.kind == .requestOverlap, violation.detail.hasPrefix("hello while") { return }
      // Another program connected the tag again while this one stood still, so bluetoothd's signals have not been read.
      if othersConnect, violation.kind == .beforeHello, programs.contains(where: \.hasStoodStill) { return }
      // While a program stands still.
      if violation.kind == .acknowledgementMissing { return }
      fail("the tag \(tag.profile.serial) saw a violation: \(violation)")
    }
  }

  func note(_ line: @autoclosure () -> String) { trace.note("\(time.now.nanoseconds / 1000) \(line())") }

  func fail(_ reason: String) {
    guard failure == nil else { return }
    failure = reason
    note("FAILED \(reason)")
  }

  // MARK: Running

  /// Runs all work that is due.
  func settle() {
    while failure == nil, let next = readyPrograms().map({ $0[dice.below($0.count)] }) {
      turns += 1
      allTurns += 1
      if turns > Self.mostTurns { return fail("it has not come to rest after \(turns) turns") }
      if let next { next.dispatch() } else { _ = try? loop.dispatch() }
    }
  }

  /// The programs that are ready; an element is nil for the world. Nil if none is ready.
  private func readyPrograms() -> [Program?]? {
    let candidates = programs.filter { !$0.isEnded && !$0.isStalled }
    descriptors.removeAll(keepingCapacity: true)
    descriptors.append(pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0))
    for program in candidates {
      descriptors.append(pollfd(fd: program.descriptor, events: Int16(POLLIN), revents: 0))
    }
    guard poll(&descriptors, nfds_t(descriptors.count), 0) > 0 else { return nil }
    var ready: [Program?] = []
    if descriptors[0].revents != 0 { ready.append(nil) }
    for (index, program) in candidates.enumerated() where descriptors[index + 1].revents != 0 { ready.append(program) }
    return ready
  }

  /// Runs until `condition` holds or `end` is reached; returns whether it holds.
  @discardableResult
  func run(to end: LoopInstant, until condition: () -> Bool = { false }) -> Bool {
    settle()
    while failure == nil, !condition() {
      guard time.now < end else { return false }
      let running = programs.filter { !$0.isEnded && !$0.isStalled }
      let timers = [loop.nextDeadline] + running.map(\.loop.nextDeadline) + programs.map(\.stalledUntil)
      let next = min(timers.compactMap { $0 }.filter { $0 > time.now }.min() ?? end, end)
      if running.contains(where: { $0.loop.nextDeadline.map { $0 <= next } ?? false }) { wakeUps += 1 }
      time.jump(to: next)
      turns = 0
      for program in programs { program.wake() }
      settle()
    }
    return failure == nil && condition()
  }

  @discardableResult
  func run(for duration: Duration, until condition: () -> Bool = { false }) -> Bool {
    run(to: time.now.advanced(by: duration), until: condition)
  }

  // MARK: Events

  /// Performs a line of the scenario language, unless it is not possible in the current state.
  func happen(_ line: String) {
    note("happens: \(line)")
    do { _ = try world.control(line) } catch { note("  not: \(error)") }
  }

  func killBus() {
    note("happens: the bus ends")
    bus.kill()
    // The life cannot continue without it.
    daemon.kill()
  }

  func startBus() {
    guard !bus.isRunning else { return }
    note("happens: the bus starts")
    do { try bus.start() } catch { return fail("the bus does not start: \(error.reason)") }
    happen("bluetoothd start")
  }

  func startDaemon() {
    loop.spawn { [daemon] in _ = try? await daemon.start() }
    settle()
  }

  func end() {
    for program in programs { program.abandon() }
    programs = []
    daemon.kill()
    settle()
    bus.kill()
    loop.close()
    loop.drain()
  }
}
