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
  /// Nil if programs do not share tags.
  var service: ServiceProcess?

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
      // A program of ours that is killed leaves its request open on a link that a program with another library keeps.
      let isHello = violation.detail.hasPrefix("\(RequestKind.hello.rawValue) while")
      if plan.hasOtherPrograms, violation.kind == .requestOverlap, isHello { return }
      // It also leaves an incomplete packet at the tag, and the next program's hello interrupts that packet.
      if plan.hasOtherPrograms, violation.kind == .packetInterrupted { return }
      // Another program connected the tag again while this one stood still, so bluetoothd's signals have not been read.
      let hasStoodStill = programs.contains(where: \.hasStoodStill) || service?.hasStoodStill ?? false
      if othersConnect, violation.kind == .beforeHello, hasStoodStill { return }
      // A program that stands still does not acknowledge.
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
    while failure == nil, let next = readyLoops().map({ $0[dice.below($0.count)] }) {
      turns += 1
      allTurns += 1
      if turns > Self.mostTurns { return fail("it has not come to rest after \(turns) turns") }
      next()
    }
  }

  /// The next steps of the world, the service and the programs that are ready; nil if none is ready.
  private func readyLoops() -> [() -> Void]? {
    var candidates: [(descriptor: Int32, dispatch: () -> Void)] = [
      (loop.fileDescriptor, { [loop] in _ = try? loop.dispatch() })
    ]
    if let service, !service.isStalled, let loop = service.loop {
      candidates.append((loop.fileDescriptor, { _ = try? loop.dispatch() }))
    }
    for program in programs where !program.isEnded && !program.isStalled {
      candidates.append((program.descriptor, { program.dispatch() }))
    }
    descriptors.removeAll(keepingCapacity: true)
    for candidate in candidates {
      descriptors.append(pollfd(fd: candidate.descriptor, events: Int16(POLLIN), revents: 0))
    }
    guard poll(&descriptors, nfds_t(descriptors.count), 0) > 0 else { return nil }
    return candidates.indices.filter { descriptors[$0].revents != 0 }.map { candidates[$0].dispatch }
  }

  /// Runs until `condition` holds or `end` is reached; returns whether it holds.
  @discardableResult
  func run(to end: LoopInstant, until condition: () -> Bool = { false }) -> Bool {
    settle()
    while failure == nil, !condition() {
      guard time.now < end else { return false }
      let running = programs.filter { !$0.isEnded && !$0.isStalled }
      let ofService = [service?.nextChange, service?.isStalled ?? true ? nil : service?.loop?.nextDeadline]
      let timers = [loop.nextDeadline] + running.map(\.loop.nextDeadline) + programs.map(\.stalledUntil) + ofService
      let next = min(timers.compactMap { $0 }.filter { $0 > time.now }.min() ?? end, end)
      if running.contains(where: { $0.loop.nextDeadline.map { $0 <= next } ?? false }) { wakeUps += 1 }
      let before = time.now
      time.jump(to: next)
      turns = 0
      for program in running { program.checkCommands(after: before.duration(to: next)) }
      for program in programs { program.wake() }
      service?.wake()
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
    do {
      _ = try world.control(line)
    } catch let error as ScenarioError {
      fail("‘\(line)’ is not a line of a scenario: \(error)")
    } catch {
      note("  not: \(error)")
    }
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
    service?.end()
    daemon.kill()
    settle()
    bus.kill()
    loop.close()
    loop.drain()
  }
}
