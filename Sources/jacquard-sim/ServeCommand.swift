import ArgumentParser
import DBus
import Glibc
import PrivateBus
import TagSimulator

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run simulated tags on a private bus until interrupted.",
    discussion: """
      The first lines of the output are DBUS_SYSTEM_BUS_ADDRESS=… and JACQUARD_SERVICE=…, for the environment of the \
      programs under test. Reads scenario
      lines from standard input.
      """)

  @OptionGroup var count: TagCount
  @OptionGroup var options: WorldOptions

  @Option(help: ArgumentHelp("Address of a D-Bus to use instead of a private one.", valueName: "address"))
  var busAddress: String?

  @Flag(name: .long, inversion: .prefixedNo, help: "Whether jacquardd is started, so that programs share the tags.")
  var service = true

  func run() throws {
    let scenario = try options.readScenario()
    let bus = busAddress == nil ? try PrivateBus() : nil
    let address = busAddress ?? bus?.address ?? ""
    let simulation = try Simulation(options, tags: count.tags)
    let daemon = FakeBlueZ(try BusAddress(address), clock: simulation.world.clock)
    simulation.world.inhabit(daemon)
    let service = service ? try ServiceSupervisor(simulation.loop, bus: address) : nil
    try simulation.onSignals { signal in
      if signal.number == SIGCHLD { service?.reap() } else { simulation.finish(0) }
    }
    defer { service?.stop() }
    let status = try simulation.run {
      try await daemon.start()
      try simulation.world.play(scenario)
      say("DBUS_SYSTEM_BUS_ADDRESS=\(address)")
      say("JACQUARD_SERVICE=\(service?.path ?? "off")")
      simulation.takeLinesFromStandardInput()
    }
    withExtendedLifetime(bus) {}
    throw ExitCode(status)
  }
}

/// Prints one line on standard output, unbuffered.
func say(_ text: String) {
  let line = text + "\n"
  _ = write(STDOUT_FILENO, line, line.utf8.count)
}
