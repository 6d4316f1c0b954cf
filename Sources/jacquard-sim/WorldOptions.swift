import ArgumentParser
import EventLoop
import Glibc
import TagSimulator

/// The options of all simulations.
struct WorldOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Scenario of the tags: a file, or the name of a built-in scenario.", valueName: "file|name"))
  var scenario: String?

  @Option(
    help: ArgumentHelp("Behave like the tag that this file of jacquardctl certify describes.", valueName: "file"))
  var like: String?

  @Option(help: "Speed of the simulated time relative to real time.")
  var timeScale: Double = 1

  @Option(help: ArgumentHelp("Path of a Unix socket from which scenario lines are read.", valueName: "path"))
  var control: String?

  @Flag(name: .shortAndLong, help: "Write every value sent or received to standard error.")
  var verbose = false

  func validate() throws {
    guard timeScale >= 0.001, timeScale <= 1000 else {
      throw ValidationError("--time-scale must be from 0.001 to 1000")
    }
  }

  /// The scenario, preceded by the behaviour of the tag of `--like`.
  func readScenario() throws -> Scenario {
    var learned = try like.map { try LikeFile.scenario(at: $0) } ?? Scenario()
    learned.steps += try readLines().steps
    return learned
  }

  private func readLines() throws -> Scenario {
    guard let scenario else { return Scenario() }
    if let text = BuiltInScenarios.named(scenario) { return try Scenario(parsing: text) }
    guard let text = InputFile.text(of: scenario) else {
      let names = BuiltInScenarios.all.map(\.name).joined(separator: ", ")
      throw ValidationError("cannot read \(scenario.printable), and it is not a built-in scenario (\(names))")
    }
    do {
      return try Scenario(parsing: text)
    } catch {
      throw ValidationError("\(scenario): \(error)".printable)
    }
  }
}

func complain(_ text: String) {
  let line = "jacquard-sim: \(text.printable)\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
}
