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
      The first line of the output is DBUS_SYSTEM_BUS_ADDRESS=…, for the environment of the programs under test. Reads scenario
      lines from standard input.
      """)

  @OptionGroup var count: TagCount
  @OptionGroup var options: WorldOptions

  @Option(help: ArgumentHelp("Address of a D-Bus to use instead of a private one.", valueName: "address"))
  var busAddress: String?

  func run() throws {
    let scenario = try options.readScenario()
    let bus = busAddress == nil ? try PrivateBus() : nil
    let address = busAddress ?? bus?.address ?? ""
    let simulation = try Simulation(options, tags: count.tags)
    let daemon = FakeBlueZ(try BusAddress(address), clock: simulation.world.clock)
    simulation.world.inhabit(daemon)
    try simulation.onSignals { if $0.number != SIGCHLD { simulation.finish(0) } }
    let status = try simulation.run {
      try await daemon.start()
      try simulation.world.play(scenario)
      say("DBUS_SYSTEM_BUS_ADDRESS=\(address)")
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
