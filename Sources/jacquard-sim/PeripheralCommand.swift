import ArgumentParser
import DBus
import Glibc
import TagSimulator

struct PeripheralCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peripheral",
    abstract: "Turn a Bluetooth adapter of this machine into a tag.",
    discussion: """
      Prints “ready” when the tag is advertising. Reads scenario lines from standard input.
      """)

  @Option(help: "Name of the adapter, such as hci1, or its address.")
  var adapter = "hci0"

  @Flag(help: "Handle bluetoothd's pairing requests; do not use this if the host runs on this machine.")
  var agent = false

  @OptionGroup var options: WorldOptions

  func run() throws {
    let scenario = try options.readScenario()
    let simulation = try Simulation(options, tags: 1)
    let peripheral = Peripheral(try .system(), adapter: adapter, tag: simulation.world.tags[0], agent: agent)
    peripheral.complain = { complain($0) }
    try simulation.onSignals { if $0.number != SIGCHLD { simulation.finish(0) } }
    let status = try simulation.run {
      try simulation.world.play(scenario)
      try await peripheral.start()
      say("ready")
      simulation.takeLinesFromStandardInput()
    }
    throw ExitCode(status)
  }
}
