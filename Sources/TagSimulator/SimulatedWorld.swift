import EventLoop

/// Tags, their scenario, and the violations that they report.
public final class SimulatedWorld {
  public let clock: SimulationClock
  public let tags: [SoftwareTag]

  public var violated: (SoftwareTag, Violation) -> Void = { _, _ in }
  /// Called for a step of the scenario that was impossible at its time.
  public var complain: (String) -> Void = { _ in }
  /// Executes actions of the host's machine; by default they fail, because there is no such machine.
  var perform: (HostAction) throws -> Void = { _ in
    throw TagActionError("there is no simulated Bluetooth daemon or adapter here")
  }

  /// The devices other than tags.
  private var neighbours: () -> [Neighbour] = { [] }
  /// Executes actions of other programs.
  private var foreignPrograms: ForeignPrograms?

  private lazy var player = ScenarioPlayer(
    clock: clock, tags: tags, act: { [unowned self] in try act($0, $1) },
    complain: { [unowned self] in complain($0) })

  public init(clock: SimulationClock, tagCount: Int = 1) {
    self.clock = clock
    tags = (0..<max(tagCount, 1)).map { SoftwareTag(profile: .numbered($0), clock: clock) }
    for tag in tags {
      tag.violated = { [unowned self, unowned tag] in violated(tag, $0) }
      tag.reached = { [unowned self, unowned tag] in player.reached($0, tag) }
    }
  }

  /// A world with a simulated Bluetooth daemon.
  public func inhabit(_ daemon: FakeBlueZ) {
    perform = { [unowned daemon] in daemon.perform($0) }
    neighbours = { [unowned daemon] in daemon.neighbours }
    daemon.complain = { [unowned self] in complain($0) }
    foreignPrograms = ForeignPrograms(daemon) { [unowned self] in complain($0) }
    for tag in tags { daemon.add(tag) }
  }

  public func play(_ scenario: Scenario) throws { try player.play(scenario) }

  /// Executes a scenario line, `stats` or `journal PAGE`, and returns the result.
  public func control(_ line: String) throws -> String {
    let words = line.split(separator: " ")
    if words == ["stats"] {
      return tags.map { "\($0.profile.serial) \($0.summary)" }.joined(separator: "; ")
    }
    if words == ["journal", "neighbours"] { return neighbours().map(\.text).joined(separator: "; ") }
    if words.first == "journal", words.count == 2, let page = TagJournal.Page(rawValue: String(words[1])) {
      return tags.map { $0.journal.text(of: page) }.joined(separator: "; ")
    }
    guard let step = try Scenario.step(parsing: line) else { return "" }
    try player.schedule(step)
    return ""
  }

  public var violationCount: Int { tags.reduce(0) { $0 + $1.violations.count } }

  private func act(_ action: ScenarioAction, _ tag: SoftwareTag?) throws {
    switch action {
    case .tag(let action): try tag?.perform(action)
    case .host(let action): try perform(action)
    case .foreign(let action):
      guard let foreignPrograms, let tag else { throw TagActionError("there is no simulated machine here") }
      try foreignPrograms.perform(action, tag)
    }
  }
}
