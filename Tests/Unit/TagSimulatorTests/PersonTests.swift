import JacquardWire
import Testing
import TouchTracking

@testable import TagSimulator

/// All strokes are invented; these tests say what programs may rely on.
@Suite("A person") struct PersonTests {
  private static let people = (1...20 as ClosedRange<UInt64>).map { Person($0) }
  private static let seeds: ClosedRange<UInt64> = 1...10

  /// Every person makes a stroke several times.
  private func performances(of stroke: Stroke) -> [StrokeSamples] {
    Self.people.flatMap { person in Self.seeds.map { person.perform([stroke], seed: $0) } }
  }

  /// The points that a new tracker reads from each touch.
  private func touches(in performed: StrokeSamples) -> [[TouchPoint]] {
    var tracker = TouchTracker()
    var points: [UInt32: [TouchPoint]] = [:]
    let report = { (point: TouchPoint) in points[point.id, default: []].append(point) }
    for sample in performed.samples {
      var lines = TouchLines<UInt8>(repeating: 0)
      for line in lines.indices { lines[line] = sample.values[line + 1] }
      tracker.read(lines, sequence: sample.sequence, time: Int64(1e9 + sample.time * 1e9), report)
    }
    tracker.cancel(at: Int64(1e9 + performed.length * 1e9), report)
    return points.sorted { $0.key < $1.key }.map { $0.value.filter { $0.phase == .began || $0.phase == .moved } }
  }

  private func positions(_ touch: [TouchPoint]) -> [Double] { touch.map { Double($0.position) / 256 } }

  private func strongest(_ performed: StrokeSamples) -> UInt8 {
    performed.samples.flatMap { $0.values.dropFirst() }.max() ?? 0
  }

  private func periods(_ sample: TouchSample, _ next: TouchSample) -> Double { (next.time - sample.time) * 60 }

  /// The samples of each touch of the sleeve. The first ones of a touch may be lost.
  private func contacts(_ performed: StrokeSamples) -> [[TouchSample]] {
    performed.samples.reduce(into: []) { contacts, sample in
      if let last = contacts.last?.last,
        Double(sample.sequence) - Double(last.sequence) == periods(last, sample).rounded()
      {
        contacts[contacts.count - 1].append(sample)
      } else {
        contacts.append([sample])
      }
    }
  }

  /// The number of taps that a tracker feels if it has read these strokes before each tap.
  func tapsFelt(after strokes: [Stroke]) -> Int {
    Self.people.map { person in
      var tracker = TouchTracker()
      var start = 1.0
      return Self.seeds.filter { seed in
        var felt = false
        for stroke in strokes + [.tap] {
          let performed = person.perform([stroke], seed: seed)
          for sample in performed.samples {
            var lines = TouchLines<UInt8>(repeating: 0)
            for line in lines.indices { lines[line] = sample.values[line + 1] }
            tracker.read(lines, sequence: sample.sequence, time: Int64((start + sample.time) * 1e9)) { point in
              if stroke == .tap, point.phase == .began { felt = true }
            }
          }
          start += performed.length + 1
        }
        return felt
      }
      .count
    }
    .reduce(0, +)
  }

  // MARK: - Samples

  @Test("makes the same stroke with the same seed, and another one with each other seed") func seeds() {
    for stroke in Stroke.allCases {
      let first = Person(3).perform([stroke], seed: 5)
      #expect(first.samples == Person(3).perform([stroke], seed: 5).samples)
      #expect(first.samples != Person(3).perform([stroke], seed: 6).samples)
      #expect(first.samples != Person(4).perform([stroke], seed: 5).samples)
    }
  }

  @Test("makes a stroke of which a tag has readings from 0 to 128", arguments: Stroke.allCases)
  func limits(_ stroke: Stroke) {
    for performed in performances(of: stroke) {
      #expect(performed.samples.allSatisfy { $0.values.count == 13 && $0.values.allSatisfy { $0 <= 128 } })
      #expect(performed.samples.allSatisfy { 0 <= $0.time && $0.time <= performed.length })
    }
  }

  @Test("is sampled 60 times a second, and lost samples leave gaps in the sequence", arguments: Stroke.allCases)
  func rate(_ stroke: Stroke) {
    for performed in performances(of: stroke) {
      for (sample, next) in zip(performed.samples, performed.samples.dropFirst()) {
        let periods = periods(sample, next)
        #expect(abs(periods - periods.rounded()) < 1e-6 && periods > 0.5)
      }
      // Each touch starts the sequence again, and few samples are lost at its beginning.
      #expect(contacts(performed).allSatisfy { $0[0].sequence <= 10 })
    }
  }

  @Test("loses one to five of a hundred samples, some of them in series") func loss() {
    let touches = Stroke.allCases.flatMap { performances(of: $0) }.flatMap { contacts($0) }
    let sent = touches.reduce(0) { $0 + $1.count }
    let gaps = touches.flatMap { zip($0, $0.dropFirst()).map { $1.sequence - $0.sequence - 1 } }
    let lost = gaps.reduce(0) { $0 + Int($1) }
    #expect((0.01...0.05).contains(Double(lost) / Double(sent + lost)))
    #expect(gaps.contains { $0 > 2 })
  }

  @Test("wears a sleeve whose untouched lines are not silent") func noise() {
    let samples = performances(of: .tap).flatMap(\.samples)
    let idle = samples.map { $0.values.dropFirst().filter { $0 > 0 && $0 < 8 }.count }
    #expect(idle.reduce(0, +) > idle.count)
  }

  // MARK: - Gestures

  @Test(
    "swipes with one finger, in one direction over at least four lines",
    arguments: [(Stroke.swipeIn, -1.0), (.swipeOut, 1)])
  func swipe(_ stroke: Stroke, _ direction: Double) {
    for performed in performances(of: stroke) {
      let touches = touches(in: performed)
      #expect(touches.count == 1)
      let places = positions(touches.first ?? [])
      let backwards = zip(places, places.dropFirst()).map { ($0 - $1) * direction }.max() ?? 0
      #expect(backwards < 0.3)
      #expect(direction * ((places.last ?? 0) - (places.first ?? 0)) > 4)
    }
  }

  @Test("moves smoothly: fastest in the middle of a swipe") func smooth() {
    let swipes = performances(of: .swipeOut).map { positions(touches(in: $0).first ?? []) }.filter { $0.count > 8 }
    let parts = swipes.map { places in
      let third = places.count / 3
      return (places[third] - places[0], places[2 * third] - places[third], places[3 * third - 1] - places[2 * third])
    }
    #expect(parts.filter { $0.1 > $0.0 && $0.1 > $0.2 }.count * 5 > parts.count * 4)
  }

  @Test("touches with two fingers", arguments: [Stroke.twoFingerTap, .spread, .pinch])
  func twoFingers(_ stroke: Stroke) {
    let counts = performances(of: stroke).map { touches(in: $0).count }
    // A short tap may be lost, or its samples.
    #expect(counts.filter { $0 == 2 }.count * 100 >= counts.count * 98)
  }

  @Test(
    "spreads two fingers, and pinches them, by more than one and a half lines",
    arguments: [(Stroke.spread, 1.0), (.pinch, -1)])
  func spread(_ stroke: Stroke, _ direction: Double) {
    for performed in performances(of: stroke) {
      let touches = touches(in: performed).map { positions($0) }.filter { !$0.isEmpty }.sorted { $0[0] < $1[0] }
      guard touches.count == 2 else { continue }
      let first = touches[1][0] - touches[0][0]
      let last = touches[1][touches[1].count - 1] - touches[0][touches[0].count - 1]
      #expect(direction * (last - first) > 1.5)
    }
  }

  @Test(
    "lifts the hand between the parts of a stroke, and each part starts the sequence again",
    arguments: [(Stroke.tap, 1), (.doubleTap, 2), (.longShort, 2), (.tapTapSwipe, 3), (.zigzag, 1), (.cover, 1)])
  func parts(_ stroke: Stroke, _ count: Int) {
    for performed in performances(of: stroke) {
      let contacts = contacts(performed)
      #expect(contacts.count == count)
      #expect(zip(contacts, contacts.dropFirst()).allSatisfy { $1[0].time - $0[$0.count - 1].time > 0.04 })
    }
  }

  @Test("presses harder than a touch, up to the strongest reading") func press() {
    for person in Self.people {
      let strength = { (stroke: Stroke) in
        Self.seeds.map { Double(strongest(person.perform([stroke], seed: $0))) }.reduce(0, +) / 10
      }
      #expect(strength(.press) > strength(.hold))
    }
    #expect(performances(of: .press).contains { strongest($0) == 128 })
  }

  @Test("covers most lines with a palm") func cover() {
    for performed in performances(of: .cover) {
      let covered = performed.samples.map { $0.values.dropFirst().filter { $0 > 30 }.count }
      #expect(covered.contains { $0 >= 6 })
    }
  }

  @Test("makes any of the other touches as other") func other() {
    let made = Self.people.flatMap { person in Self.seeds.map { person.perform(Stroke.others, seed: $0).stroke } }
    #expect(Set(made) == Set(Stroke.others))
    #expect(Set(Stroke.gestures).isDisjoint(with: Stroke.others))
  }

  // MARK: - Habits

  @Test("has habits that are distributed around those of all people") func habits() {
    let people = (1...1000 as ClosedRange<UInt64>).map { Person($0) }
    func expect(_ habit: KeyPath<Person, Double>, _ mean: ClosedRange<Double>, _ deviation: ClosedRange<Double>) {
      let values = people.map { $0[keyPath: habit] }
      let average = values.reduce(0, +) / 1000
      let spread = (values.reduce(0) { $0 + ($1 - average) * ($1 - average) } / 1000).squareRoot()
      #expect(mean.contains(average), "\(habit): \(average)")
      #expect(deviation.contains(spread), "\(habit): \(spread)")
    }
    expect(\.pace, 0.98...1.06, 0.17...0.24)
    expect(\.strength, 82...88, 15...20)
    expect(\.width, 0.82...0.88, 0.1...0.14)
    expect(\.gap, 0.145...0.155, 0.025...0.033)
    expect(\.skew, -0.02...0.02, 0.17...0.22)
  }

  @Test("varies less from one repetition to the next than people differ") func repetitions() {
    let lengths = Self.people.map { person in
      (1...50 as ClosedRange<UInt64>).map { person.perform([.hold], seed: $0).length }
    }
    let variance = { (values: [Double]) in
      let mean = values.reduce(0, +) / Double(values.count)
      return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
    }
    let within = lengths.map(variance).reduce(0, +) / Double(lengths.count)
    let between = variance(lengths.map { $0.reduce(0, +) / Double($0.count) })
    #expect(within > 0 && between > 2 * within)
  }
}
