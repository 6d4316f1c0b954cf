import ArgumentParser
import TagSimulator

struct ScenariosCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenarios", abstract: "List the built-in scenarios, or show one.")

  @Argument(help: "The scenario to show.")
  var name: String?

  func run() throws {
    guard let name else {
      for scenario in BuiltInScenarios.all { say(scenario.name) }
      return
    }
    guard let text = BuiltInScenarios.named(name) else { throw ValidationError("there is no scenario ‘\(name)’") }
    say(text)
  }
}
