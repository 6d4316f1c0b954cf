import ArgumentParser
import Glibc
import TagSimulator

struct PeerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer",
    abstract: "Be a tag for a radio that another program has.",
    discussion: """
      The radio connects to a Unix socket, and the two exchange messages with their length in front; docs/scenarios.md has \
      the table. Advertising, the attribute protocol and bonds are the radio's, all else is the tag's. Says “ready” when the \
      radio may come, and takes scenario lines from standard input.
      """)

  @Option(help: ArgumentHelp("Wait for the radio on a Unix socket at this path.", valueName: "path"))
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
