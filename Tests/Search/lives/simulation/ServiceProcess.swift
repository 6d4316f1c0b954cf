import EventLoop
import Glibc
import Jacquard
import Sharing

/// The service of a life, like a process of its own: with its own loop, it can be killed, can stand still, and is
/// started again by its supervisor. In some lives no watchdog kills it, and in some it is not there at the beginning.
final class ServiceProcess {
  /// The time from the end of the service until it has been started again.
  private static let restart: Duration = .milliseconds(200)
  /// A watchdog ends a service that stands still for longer.
  private static let watchdog: Duration = .seconds(5)
  /// The longest stall in milliseconds: the service never continues by itself, and a person kills it.
  static let longest = 40_000

  let path: String
  private unowned let stage: Stage
  private let plan: Plan
  private let runtimeDirectory: String
  /// The address of the bus.
  private let address: String?
  private(set) var loop: EventLoop?
  private var service: Service?
  private var listener: ServiceListener?
  private var startsAt: LoopInstant?
  private var stalledUntil: LoopInstant?
  private(set) var hasStoodStill = false

  init(_ stage: Stage, _ disk: Disk, _ plan: Plan) {
    self.stage = stage
    self.plan = plan
    runtimeDirectory = disk.runtimeDirectory
    path = disk.runtimeDirectory + (plan.serviceAppears ? "/jacquard/socket" : "/socket")
    address = try? stage.bus.anotherAddress()
    if !plan.serviceAppears { start() }
  }

  var isStalled: Bool { stalledUntil != nil }
  /// The next time at which something happens without the loop.
  var nextChange: LoopInstant? { stalledUntil ?? startsAt }

  private func start() {
    stage.note("the service starts")
    startsAt = nil
    var options = Service.Options(lingering: .seconds(10))
    options.busAddress = address
    options.runtimeDirectory = runtimeDirectory
    do {
      if plan.serviceAppears { _ = try RuntimeDirectory(in: runtimeDirectory) }
      let loop = try EventLoop(clock: .virtual(stage.time))
      let service = try Service(options, loop: loop) { [unowned stage] line in
        stage.note("service: \(Program.withoutProcess(line.text))")
      }
      listener = try ServiceListener(path, loop: loop) { service.accept($0) }
      (self.loop, self.service) = (loop, service)
    } catch {
      stage.fail("the service does not start: \(error)")
    }
  }

  /// As with SIGKILL, all descriptors are closed without a farewell.
  func kill() {
    guard loop != nil else { return }
    stage.note("the service is killed")
    if let address { stage.bus.cutOff(programsAt: address) }
    // The socket's file stays.
    let kept = path + ".kept"
    if !plan.isEarlier { rename(path, kept) }
    end()
    if !plan.isEarlier { rename(kept, path) }
    startsAt = stage.time.now.advanced(by: Self.restart)
  }

  func stall(for duration: Duration) {
    guard loop != nil else { return }
    stage.note("the service stands still for \(duration)")
    hasStoodStill = true
    let longest: Duration = plan.hasNoWatchdog ? .milliseconds(Self.longest) : Self.watchdog
    stalledUntil = stage.time.now.advanced(by: min(duration, longest))
    isOverdue = duration >= longest
  }

  /// Starts the service for the first time.
  func appear() { if loop == nil, startsAt == nil { start() } }

  private var isOverdue = false

  /// Called whenever time has advanced.
  func wake() {
    let now = stage.time.now
    if let end = stalledUntil, end <= now {
      stalledUntil = nil
      if isOverdue { kill() }
      isOverdue = false
    }
    if let time = startsAt, time <= now { start() }
  }

  func heal() {
    stalledUntil = nil
    isOverdue = false
    if loop == nil { start() }
  }

  func end() {
    stalledUntil = nil
    startsAt = nil
    listener?.close()
    service?.close()
    loop?.close()
    loop?.drain()
    (loop, service, listener) = (nil, nil, nil)
    // The socket's file of a killed service.
    if !plan.isEarlier { unlink(path) }
  }
}
