/// `[tag N] [at T | after EVENT [once | 2nd] [T]] [every T] ACTION [for T]`
enum ScenarioLine {
  static func parse(_ text: Substring, number: Int) throws -> Scenario.Step? {
    var words = ScenarioWords(text, line: number)
    guard !words.isEmpty else { return nil }

    var tag: Int?
    if words.take("tag") { tag = try words.number("a tag's number", in: 1...1000) - 1 }

    var moment = Scenario.Moment.at(.zero)
    if words.take("at") {
      moment = .at(try words.duration("a time"))
    } else if words.take("after") {
      let milestone: SoftwareTag.Milestone = try words.choice("an event")
      if let count = words.optionalOrdinal() {
        moment = .afterNth(count, milestone, words.optionalDuration() ?? .zero)
      } else {
        let once = words.take("once")
        moment = .after(milestone, words.optionalDuration() ?? .zero, once: once)
      }
    }

    var every: Duration?
    if words.take("every") {
      let period = try words.duration("a period")
      guard period >= .microseconds(100) else { throw words.fail("the shortest period is 100us") }
      every = period
    }

    let first = words.peek()
    let action = try ActionWords.parse(&words)
    var length: Duration?
    if words.take("for") { length = try words.duration("a length") }
    try words.end()

    var step = Scenario.Step(line: number, tag: tag, moment: moment, action: action)
    if let length, let undo = undo(of: action) {
      step.ending = (length, undo)
    } else if length != nil, every == nil {
      throw words.fail("‘\(first ?? "")’ cannot be undone, so it has no ‘for’")
    }
    if let every { step.repetition = .init(every: every, until: step.ending == nil ? length : nil) }
    return step
  }

  private static func undo(of action: ScenarioAction) -> ScenarioAction? {
    switch action {
    case .tag(.inRange(let value)): .tag(.inRange(!value))
    case .tag(.advertise(let value)): .tag(.advertise(!value))
    case .tag(.attach): .tag(.detach)
    case .tag(.sleep): .tag(.move)
    case .tag(.storageFull(let value)): .tag(.storageFull(!value))
    case .tag(.mute(let value)): .tag(.mute(!value))
    case .tag(.react): .tag(.heed)
    case .host(.powered(let value)): .host(.powered(!value))
    case .host(.blocked(let value)): .host(.blocked(!value))
    case .host(.adapterPresent(let value, let index)): .host(.adapterPresent(!value, index: index))
    case .host(.asleep(let value)): .host(.asleep(!value))
    case .host(.connectFault): .host(.connectFault(.none))
    case .host(.notifyFails): .host(.notifyWorks)
    case .host(.resolveIncomplete): .host(.resolveWorks)
    case .host(.refuseDiscovery): .host(.allowDiscovery)
    case .host(.connectUnanswered(let value)): .host(.connectUnanswered(!value))
    case .host(.writeUnanswered(let value)): .host(.writeUnanswered(!value))
    case .host(.daemon(.hang, _)): .host(.daemon(.continue, downtime: .zero))
    case .host(.daemon(.kill, _)), .host(.daemon(.stop, _)): .host(.daemon(.start, downtime: .zero))
    case .foreign(let action): action.undone.map { .foreign($0) }
    default: nil
    }
  }
}
