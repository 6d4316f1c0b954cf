import ArgumentParser
import Glibc
import TagSimulator

struct PeerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer",
    abstract: "Run a tag whose radio is provided by another program.",
    discussion: """
      The radio connects to a Unix socket, and exchanges length-prefixed messages with the tag; scenarios.md in the \
      documentation lists them. The radio handles advertising, the attribute protocol and bonds; the tag handles \
      everything else. Prints “ready” when the radio may connect, and reads scenario lines from standard input.
      """)

  @Option(help: ArgumentHelp("Path of the Unix socket for the radio.", valueName: "path"))
  var socket: String

  @OptionGroup var options: WorldOptions

  func run() throws {
    let scenario = try options.readScenario()
    let simulation = try Simulation(options, tags: 1)
    let peer = Peer(simulation.world.tags[0])
    peer.complain = { complain($0) }
    try simulation.onSignals { if $0.number != SIGCHLD { simulation.finish(0) } }
    let status = try simulation.run {
      try simulation.world.play(scenario)
      try peer.listen(at: socket)
      say("ready")
      simulation.takeLinesFromStandardInput()
    }
    peer.close()
    throw ExitCode(status)
  }
}
