import ArgumentParser
import TagSimulator

struct ScenariosCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenarios", abstract: "List the built-in scenarios, or show one.",
    discussion: """
      No document says how real tags behave in these respects, so a scenario can choose. The first value is the default:

      \(TagBehaviour.alternatives.map { "\($0.action) \($0.answers.joined(separator: "|"))" }.joined(separator: ";\n")).
      """)

  @Argument(help: "Name of the scenario to show.")
  var name: String?

  func run() throws {
    guard let name else {
      let width = BuiltInScenarios.all.map(\.name.count).max() ?? 0
      for (name, text) in BuiltInScenarios.all {
        say(name + String(repeating: " ", count: width - name.count + 2) + BuiltInScenarios.summary(of: text))
      }
      return
    }
    guard let text = BuiltInScenarios.named(name) else { throw ValidationError("there is no scenario ‘\(name)’") }
    say(text)
  }
}
