import EventLoop

/// Executes a scenario's steps at their times.
final class ScenarioPlayer {
  private let clock: SimulationClock
  private let tags: [SoftwareTag]
  private let act: (ScenarioAction, SoftwareTag?) throws -> Void
  private let complain: (String) -> Void
  private var waiting: [(number: Int, step: Scenario.Step)] = []
  private struct Running: Hashable {
    var step: Int
    var tags: [ObjectIdentifier]
  }

  /// Repetitions by step and tag: a repetition restarts when the step's event occurs again.
  private var running: [Running: LoopTimer] = [:]
  private var stepCount = 0

  private struct Event: Hashable {
    var milestone: SoftwareTag.Milestone
    var tag: ObjectIdentifier
  }

  private var eventCounts: [Event: Int] = [:]

  /// - Parameter complain: called for steps that were impossible at their time.
  init(
    clock: SimulationClock, tags: [SoftwareTag], act: @escaping (ScenarioAction, SoftwareTag?) throws -> Void,
    complain: @escaping (String) -> Void
  ) {
    self.clock = clock
    self.tags = tags
    self.act = act
    self.complain = complain
  }

  func play(_ scenario: Scenario) throws {
    for step in scenario.steps { try schedule(step) }
  }

  /// Steps without a time are executed before it returns, and it throws if they are impossible.
  func schedule(_ step: Scenario.Step) throws {
    if let tag = step.tag, tag >= tags.count {
      throw ScenarioError(line: step.line, message: "there is no tag \(tag + 1)")
    }
    stepCount += 1
    let number = stepCount
    switch step.moment {
    case .after, .afterNth: waiting.append((number, step))
    case .at(let time):
      let affected = step.tag.map { [tags[$0]] } ?? tags
      if time == .zero { return try begin(number, step, affected) }
      clock.schedule(after: time) { [weak self] in self?.beginOrComplain(number, step, affected) }
    }
  }

  /// Called when a tag has reached a milestone that steps may wait for.
  func reached(_ milestone: SoftwareTag.Milestone, _ tag: SoftwareTag) {
    let count = eventCounts[Event(milestone: milestone, tag: ObjectIdentifier(tag)), default: 0] + 1
    eventCounts[Event(milestone: milestone, tag: ObjectIdentifier(tag))] = count
    var over: Set<Int> = []
    for (number, step) in waiting {
      if let wanted = step.tag, tags[wanted] !== tag { continue }
      let delay: Duration
      switch step.moment {
      case .after(milestone, let time, let once):
        delay = time
        if once { over.insert(number) }
      case .afterNth(count, milestone, let time): delay = time
      default: continue
      }
      clock.schedule(after: delay) { [weak self] in self?.beginOrComplain(number, step, [tag]) }
    }
    if !over.isEmpty { waiting.removeAll { over.contains($0.number) } }
  }

  private func beginOrComplain(_ number: Int, _ step: Scenario.Step, _ affected: [SoftwareTag]) {
    do { try begin(number, step, affected) } catch { complain("line \(step.line): \(error)") }
  }

  private func begin(_ number: Int, _ step: Scenario.Step, _ affected: [SoftwareTag]) throws {
    try perform(number, step, affected)
    if let repetition = step.repetition {
      repeatStep(number, step, affected, repetition, until: repetition.until.map { clock.now + $0 })
    }
  }

  private func perform(_ number: Int, _ step: Scenario.Step, _ affected: [SoftwareTag]) throws {
    switch step.action {
    case .host: try act(step.action, nil)
    case .tag, .foreign: for tag in affected { try act(step.action, tag) }
    }
    guard let ending = step.ending else { return }
    let undo = Scenario.Step(line: step.line, tag: step.tag, moment: .at(.zero), action: ending.action)
    clock.schedule(after: ending.after) { [weak self] in self?.beginOrComplain(number, undo, affected) }
  }

  private func repeatStep(
    _ number: Int, _ step: Scenario.Step, _ affected: [SoftwareTag], _ repetition: Scenario.Repetition,
    until end: Duration?
  ) {
    let key = Running(step: number, tags: affected.map { ObjectIdentifier($0) })
    running[key]?.cancel()
    if let end, clock.now + repetition.every >= end { return }
    running[key] = clock.schedule(after: repetition.every) { [weak self] in
      guard let self else { return }
      // A lost link or detached gear ends the repetition.
      do { try self.perform(number, step, affected) } catch {
        self.complain("line \(step.line): \(error)")
        return
      }
      self.repeatStep(number, step, affected, repetition, until: end)
    }
  }
}
