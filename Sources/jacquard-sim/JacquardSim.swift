import ArgumentParser

@main
struct JacquardSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jacquard-sim",
    abstract: "Jacquard tags in software, for programs without hardware at hand.",
    discussion: """
      The tags are strict: whatever the program under test does against the protocol is written to standard error, and the
      exit status is 70.
      """,
    subcommands: [RunCommand.self, ServeCommand.self, PeripheralCommand.self, PeerCommand.self, ScenariosCommand.self])
}

/// EX_SOFTWARE of sysexits.h: the program under test broke the protocol.
let violationStatus: Int32 = 70
