import ArgumentParser
import CJacquard
import Glibc

@main
struct JacquardSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jacquard-sim",
    abstract: "Software Jacquard tags, for programs without hardware.",
    discussion: """
      The tags are strict: protocol violations of the program under test are reported on standard error, and the exit \
      status is
      70.
      """,
    version: "jacquard-sim \(JACQUARD_VERSION_MAJOR).\(JACQUARD_VERSION_MINOR).\(JACQUARD_VERSION_PATCH)",
    subcommands: [
      RunCommand.self, ServeCommand.self, PeripheralCommand.self, PeerCommand.self, ScenariosCommand.self,
      StrokesCommand.self,
    ])

  /// Wrong usage has the same exit status as in jacquardctl and most other programs; the package's is 64.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      let text = fullMessage(for: error) + "\n"
      _ = write(STDERR_FILENO, text, text.utf8.count)
      Glibc.exit(2)
    }
  }
}

/// EX_SOFTWARE of sysexits.h: the program under test violated the protocol.
let violationStatus: Int32 = 70
