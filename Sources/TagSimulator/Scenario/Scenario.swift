/// A script of events for a simulated world, one per line; docs/scenarios.md describes the language.
public struct Scenario: Equatable, Sendable {
  /// The time of a line.
  public enum Moment: Equatable, Sendable {
    case at(Duration)
    case after(SoftwareTag.Milestone, Duration, once: Bool)
    /// Acts at this occurrence only, counted per tag.
    case afterNth(Int, SoftwareTag.Milestone, Duration)
  }

  public struct Repetition: Equatable, Sendable {
    public var every: Duration
    public var until: Duration?
  }

  public struct Step: Equatable, Sendable {
    public var line: Int
    /// Index of the tag; nil for all tags.
    public var tag: Int?
    public var moment: Moment
    public var repetition: Repetition?
    public var action: ScenarioAction
    /// The action that undoes this one, and its delay, from `for 5s`.
    public var ending: (after: Duration, action: ScenarioAction)?

    public static func == (left: Step, right: Step) -> Bool {
      left.line == right.line && left.tag == right.tag && left.moment == right.moment
        && left.repetition == right.repetition && left.action == right.action
        && left.ending?.after == right.ending?.after && left.ending?.action == right.ending?.action
    }
  }

  public var steps: [Step]

  public init(steps: [Step] = []) { self.steps = steps }

  /// Parses a whole script.
  public init(parsing text: String) throws {
    var steps: [Step] = []
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      if let step = try ScenarioLine.parse(line, number: number) { steps.append(step) }
    }
    self.steps = steps
  }

  /// Parses one line from a control connection; nil for an empty line.
  public static func step(parsing line: String) throws -> Step? { try ScenarioLine.parse(line[...], number: 1) }
}

/// An invalid line.
public struct ScenarioError: Error, Equatable, CustomStringConvertible {
  public var line: Int
  public var message: String

  public var description: String { "line \(line): \(message)" }
}
