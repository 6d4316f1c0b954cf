import ArgumentParser

@main
struct JacquardSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jacquard-sim",
    abstract: "Software Jacquard tags, for programs without hardware.",
    discussion: """
      The tags are strict: protocol violations of the program under test are reported on standard error, and the exit status is
      70.
      """,
    subcommands: [RunCommand.self, ServeCommand.self, PeripheralCommand.self, PeerCommand.self, ScenariosCommand.self])
}

/// EX_SOFTWARE of sysexits.h: the program under test violated the protocol.
let violationStatus: Int32 = 70
