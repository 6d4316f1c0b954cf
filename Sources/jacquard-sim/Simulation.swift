import ArgumentParser
import DBus
import EventLoop
import Glibc
import TagSimulator

/// A world on its own loop, with its control socket and its end.
final class Simulation {
  let loop: EventLoop
  let world: SimulatedWorld
  private let control: ControlServer
  private var signals: SignalWatch?
  private var status: Int32?

  init(_ options: WorldOptions, tags: Int) throws {
    let loop = try EventLoop()
    let world = SimulatedWorld(clock: SimulationClock(loop, scale: options.timeScale), tagCount: tags)
    self.loop = loop
    self.world = world
    control = ControlServer(loop) { try world.control($0) }
    world.violated = { complain("\($0.profile.serial): violation: \($1)") }
    world.complain = { complain($0) }
    if options.verbose { for tag in world.tags { Self.show(tag) } }
    if let path = options.control { try control.listen(at: path) }
  }

  private static func show(_ tag: SoftwareTag) {
    tag.overheard = { [unowned tag] fromHost, characteristic, value in
      let bytes = value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
      complain("\(tag.profile.serial) \(fromHost ? "<-" : "->") \(characteristic) \(bytes)")
    }
  }

  func takeLinesFromStandardInput() { control.listenToStandardInput() }

  func onSignals(_ handler: @escaping (SignalWatch.Signal) -> Void) throws {
    signals = try SignalWatch([SIGINT, SIGTERM, SIGHUP, SIGCHLD], loop, handler)
  }

  func finish(_ status: Int32) { if self.status == nil { self.status = status } }

  /// Runs until `finish`. After protocol violations the status is always 70.
  func run(_ begin: @escaping () async throws -> Void) throws -> Int32 {
    loop.spawn { [self] in
      do { try await begin() } catch {
        complain("\(error)")
        finish(1)
      }
    }
    while status == nil {
      var descriptor = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
      if poll(&descriptor, 1, -1) < 0, errno != EINTR { throw SystemError(code: errno, call: "poll") }
      try loop.dispatch()
    }
    control.close()
    if world.violationCount > 0 {
      complain("\(world.violationCount) \(world.violationCount == 1 ? "violation" : "violations") of the protocol")
      return violationStatus
    }
    return status ?? 0
  }
}
