import ArgumentParser
import DBus
import Glibc
import TagSimulator

struct PeripheralCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peripheral",
    abstract: "Make a Bluetooth adapter of this machine a tag, for hosts within range.",
    discussion: """
      Says “ready” when it can be found. Scenario lines are taken from standard input.
      """)

  @Option(help: "The adapter to use: its name, such as hci1, or its address.")
  var adapter = "hci0"

  @Flag(help: "Answer the questions of bluetoothd about pairing; not on a machine whose programs are the hosts.")
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
