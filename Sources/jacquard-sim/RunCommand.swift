import ArgumentParser
import DBus
import Glibc
import PrivateBus
import TagSimulator

struct TagCount: ParsableArguments {
  @Option(help: "Number of tags.")
  var tags = 1

  func validate() throws {
    guard (1...5000).contains(tags) else { throw ValidationError("--tags must be from 1 to 5000") }
  }
}

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a program on a private bus with a simulated org.bluez and tags.",
    discussion: """
      The program finds the bus in DBUS_SYSTEM_BUS_ADDRESS, and a service of its own in JACQUARD_SERVICE. The tags \
      that it binds are kept apart from yours: XDG_STATE_HOME
      is a temporary directory, or the directory given with --state. The exit status is the program's, or 70 if it \
      violated
      the protocol.
      """)

  @OptionGroup var count: TagCount
  @OptionGroup var options: WorldOptions

  @Option(
    help: ArgumentHelp(
      "Directory that stores the program's bound tags, and the bonds of the simulated org.bluez, for the next run.",
      valueName: "directory"))
  var state: String?

  @Flag(name: .long, inversion: .prefixedNo, help: "Whether jacquardd is started, so that programs share the tags.")
  var service = true

  @Argument(parsing: .postTerminator, help: "The program and its arguments.")
  var command: [String]

  func validate() throws {
    guard !command.isEmpty else { throw ValidationError("“--” and a command are missing") }
  }

  func run() throws {
    let scenario = try options.readScenario()
    let stateHome = try state.map { try StateHome.kept(at: $0) } ?? StateHome.temporary()
    let bus = try PrivateBus()
    let simulation = try Simulation(options, tags: count.tags)
    let daemon = FakeBlueZ(try BusAddress(bus.address), clock: simulation.world.clock)
    simulation.world.inhabit(daemon)
    daemon.restore(bonds: stateHome.bonds)
    var child: ChildProcess?
    let service = service ? try ServiceSupervisor(simulation.loop, bus: bus.address) : nil
    try simulation.onSignals { signal in
      if signal.number == SIGCHLD {
        service?.reap()
        guard let status = child?.reap() else { return }
        // A bus that a scenario has frozen does not delay the end by more than this.
        simulation.loop.schedule(after: .seconds(1)) { simulation.finish(status) }
        simulation.loop.spawn {
          await daemon.handleLastCalls()
          simulation.finish(status)
        }
      } else if !signal.isFromTerminal {
        child?.signal(signal.number)
        if child == nil { simulation.finish(128 + signal.number) }
      }
    }
    defer { service?.stop() }
    let status = try simulation.run { [command] in
      try await daemon.start()
      try simulation.world.play(scenario)
      do {
        child = try ChildProcess(
          command,
          environment: [
            ("DBUS_SYSTEM_BUS_ADDRESS", bus.address), ("XDG_STATE_HOME", stateHome.path),
            ("JACQUARD_SERVICE", service?.path ?? "off"),
          ])
      } catch {
        complain("\(error)")
        simulation.finish(127)
      }
    }
    do { try stateHome.store(bonds: daemon.bonds) } catch { complain("\(error)") }
    withExtendedLifetime(bus) {}
    throw ExitCode(status)
  }
}
