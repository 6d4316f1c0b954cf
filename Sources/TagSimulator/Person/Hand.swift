/// A person's hand while it makes one stroke: plans what touches the sleeve, and when.
///
/// Durations, distances and strengths are invented. The first line is at the inner end here, as on the picture of
/// `jacquardctl board`: which end of a real sleeve it is at is not documented.
struct Hand {
  typealias Waypoint = Contact.Waypoint

  let person: Person
  var random: RandomNumbers
  private(set) var contacts: [Contact] = []
  /// Seconds from the beginning of the stroke until the contact that is planned next.
  private var time = 0.0

  init(_ person: Person, _ random: RandomNumbers) {
    self.person = person
    self.random = random
  }

  mutating func make(_ stroke: Stroke) {
    switch stroke {
    case .tap: tap(at: place())
    case .doubleTap:
      let place = place()
      tap(at: place)
      lift()
      tap(at: place + 0.2 * random.normal())
    case .hold: rest(at: place(), for: 0.9)
    case .press: press(at: place(), for: 0.8)
    case .swipeIn: swipe(toward: -1)
    case .swipeOut: swipe(toward: 1)
    case .scrub: scrub()
    case .twoFingerTap: twoFingers(from: varied(3.8), to: nil, for: 0.12)
    case .spread: twoFingers(from: varied(3.1), to: varied(7.2), for: 0.5)
    case .pinch: twoFingers(from: varied(7.2), to: varied(3.1), for: 0.5)
    case .cover: cover()
    case .zigzag: zigzag()
    case .tapTapSwipe:
      let place = place() - 2
      tap(at: place)
      lift()
      tap(at: place)
      lift()
      swipe(toward: 1)
    case .longShort:
      let place = place()
      rest(at: place, for: 0.7)
      lift()
      tap(at: place)
    case .thereAndBack: thereAndBack()
    case .brushing, .leaning, .folding, .rubbing, .gripping, .bumping: touch(by: stroke)
    }
  }

  // MARK: - Habits, which vary

  /// This time's value of a quantity.
  mutating func varied(_ value: Double) -> Double { value * random.factor(person.unsteadiness) }

  private mutating func seconds(_ value: Double) -> Double { varied(value * person.pace) }

  private mutating func lines(_ value: Double) -> Double { varied(value * person.reach) }

  private mutating func place() -> Double { random.normal(person.place, 0.8, 1...10) }

  /// The hand is off the sleeve.
  private mutating func lift() { time += seconds(person.gap) }

  // MARK: - Gestures

  /// A finger on the sleeve; `path` begins at the time of the plan.
  private mutating func finger(
    _ path: [Waypoint], from begin: Double, until end: Double, strength: Double = 1
  ) -> Contact {
    let width = varied(person.width)
    return Contact(
      begin: time + begin, end: time + end,
      path: path.map { Waypoint(time: time + $0.time, position: $0.position) },
      strength: min(varied(person.strength * strength), 220), rise: seconds(0.04), fall: seconds(0.05),
      widths: (width * (1 - person.skew / 2), width * (1 + person.skew / 2)), roundness: person.roundness,
      tremor: varied(person.tremor), tremorRate: person.tremorRate, tremorPhase: random.number(0...2 * .pi),
      sway: random.number(0...0.06), swayRate: random.number(0.5...3))
  }

  private mutating func add(_ contact: Contact) {
    contacts.append(contact)
    time = max(time, contact.end)
  }

  private mutating func tap(at place: Double) {
    let length = max(seconds(0.1), 0.05)
    // The finger rolls a little.
    let path = [Waypoint(time: 0, position: place), Waypoint(time: length, position: place + 0.12 * random.normal())]
    add(finger(path, from: 0, until: length))
  }

  private mutating func rest(at place: Double, for length: Double) {
    let length = seconds(length)
    let path = [Waypoint(time: 0, position: place), Waypoint(time: length, position: place + 0.2 * random.normal())]
    add(finger(path, from: 0, until: length))
  }

  /// The strength rises for longer than that of a touch, to about twice as much.
  private mutating func press(at place: Double, for length: Double) {
    let length = seconds(length)
    let path = [Waypoint(time: 0, position: place), Waypoint(time: length, position: place + 0.2 * random.normal())]
    var contact = finger(path, from: 0, until: length, strength: 1.9)
    contact.rise = length * random.number(0.35...0.5)
    contact.fall = seconds(0.12)
    contact.widths = (contact.widths.low * 1.2, contact.widths.high * 1.2)
    add(contact)
  }

  /// The finger lands while the hand is already moving, and is lifted before the hand stops.
  private mutating func swipe(toward direction: Double) {
    let distance = min(max(lines(8.5), 4.5), 11)
    // Most of it is on the sleeve.
    let middle = min(max(place(), distance / 2 - 1), 12 - distance / 2)
    let length = max(seconds(0.38), 0.15)
    let path = [
      Waypoint(time: 0, position: middle - direction * distance / 2),
      Waypoint(time: length, position: middle + direction * distance / 2),
    ]
    add(finger(path, from: length * random.number(0.1...0.25), until: length * random.number(0.8...0.97)))
  }

  /// Legs of a path, each with its end and its duration.
  private mutating func draw(_ legs: [(to: Double, seconds: Double)], from start: Double) {
    var path = [Waypoint(time: 0, position: start)]
    for leg in legs { path.append(Waypoint(time: path[path.count - 1].time + leg.seconds, position: leg.to)) }
    add(finger(path, from: 0, until: path[path.count - 1].time + seconds(0.04)))
  }

  private mutating func scrub() {
    let middle = min(max(place(), 3), 8)
    let half = lines(3.2) / 2
    var direction = random.happens(0.5) ? 1.0 : -1
    let start = middle - direction * half
    var legs: [(to: Double, seconds: Double)] = []
    for _ in 0..<random.count(4...7) {
      legs.append((middle + direction * varied(half), seconds(0.19)))
      direction = -direction
    }
    draw(legs, from: start)
  }

  private mutating func zigzag() {
    let half = min(lines(5.5), 8) / 2
    let middle = min(max(place(), half), 11 - half)
    let legs = [1.0, -0.3, 1].map { (to: middle + varied(half) * $0, seconds: seconds(0.33)) }
    draw([(legs[0].to, legs[0].seconds), (middle - half * 0.6, legs[1].seconds), legs[2]], from: middle - half)
  }

  /// Slowly from an end to the middle, and back.
  private mutating func thereAndBack() {
    let start = random.normal(0.8, 0.4, 0...2)
    draw([(start + lines(5), seconds(1)), (start + 0.4 * random.normal(), seconds(1))], from: start)
  }

  /// Two fingers, this far apart at first and at the end. They do not land at the same time.
  private mutating func twoFingers(from first: Double, to last: Double?, for length: Double) {
    let (first, last) = (max(first, 2.8), max(last ?? first, 2.8))
    let middle = min(max(place(), max(first, last) / 2 - 0.3), 11.3 - max(first, last) / 2)
    let length = max(seconds(length), 0.07)
    var both: [Contact] = []
    for side in [-0.5, 0.5] {
      let path = [
        Waypoint(time: 0, position: middle + side * first), Waypoint(time: length, position: middle + side * last),
      ]
      let late = random.number(0...0.03)
      var contact = finger(path, from: late, until: length + late + random.number(0...0.03))
      // Two fingers beside each other are narrower than one that lies flat.
      let narrow = min(0.85 / person.width, 1) * 0.85
      contact.widths = (contact.widths.low * narrow, contact.widths.high * narrow)
      both.append(contact)
    }
    for contact in both { add(contact) }
  }

  private mutating func cover() {
    let length = seconds(1.1)
    let middle = random.normal(person.place, 0.6, 3.5...7.5)
    let path = [Waypoint(time: 0, position: middle), Waypoint(time: length, position: middle + 0.3 * random.normal())]
    var palm = finger(path, from: 0, until: length, strength: 0.9)
    palm.flat = min(lines(3.8), 5.5)
    palm.widths = (random.number(0.8...1.8), random.number(0.8...1.8))
    palm.rise = seconds(0.1)
    palm.fall = seconds(0.12)
    add(palm)
  }
}

// MARK: - Touches that are not meant

extension Hand {
  fileprivate mutating func touch(by stroke: Stroke) {
    switch stroke {
    case .brushing: brush()
    case .leaning: lean()
    case .folding: fold()
    case .rubbing: rub()
    case .gripping: grip()
    default: bump()
    }
  }

  /// Something broad, and not steady.
  private mutating func broad(_ path: [Waypoint], strength: ClosedRange<Double>, flat: ClosedRange<Double>) -> Contact {
    let end = path[path.count - 1].time
    let (rise, fall) = (end * random.number(0.1...0.4), end * random.number(0.1...0.4))
    return Contact(
      begin: path[0].time, end: end, path: path, strength: random.number(strength),
      rise: min(max(rise, 0.02), 0.5), fall: min(max(fall, 0.02), 0.5),
      widths: (random.number(0.6...2.5), random.number(0.6...2.5)), flat: random.number(flat),
      roundness: random.number(1.3...3), tremor: random.number(0...0.1), tremorRate: random.number(2...12),
      tremorPhase: random.number(0...2 * .pi), sway: random.number(0.05...0.4), swayRate: random.number(0.3...4))
  }

  private mutating func wander(
    from start: Double, steps: Int, far: Double, _ seconds: ClosedRange<Double>
  ) -> [Waypoint] {
    var path = [Waypoint(time: 0, position: start)]
    for _ in 0..<steps {
      let last = path[path.count - 1]
      path.append(
        Waypoint(
          time: last.time + random.number(seconds), position: min(max(last.position + far * random.normal(), -1), 12)))
    }
    return path
  }

  /// Another sleeve, a bag or a door passes over the lines.
  private mutating func brush() {
    let (from, to) = (random.number(-3...14), random.number(-3...14))
    let path = [Waypoint(time: 0, position: from), Waypoint(time: random.number(0.15...1.5), position: to)]
    add(broad(path, strength: 12...90, flat: 0...3))
  }

  /// The arm lies on a table, or on another one.
  private mutating func lean() {
    let path = wander(from: random.number(1...10), steps: random.count(2...8), far: 0.5, 0.4...2)
    add(broad(path, strength: 40...140, flat: 1.5...6))
  }

  /// The other hand slides over the sleeve, stays, and some of its fingers move.
  private mutating func fold() {
    let (from, to) = (random.number(-2...13), random.number(2...9))
    var path = [Waypoint(time: 0, position: from), Waypoint(time: random.number(0.3...0.8), position: to)]
    let stay = random.number(1.5...8)
    path.append(Waypoint(time: path[1].time + stay, position: to + 0.5 * random.normal()))
    add(broad(path, strength: 40...120, flat: 0.5...4))
    for _ in 0..<random.count(0...3) {
      let begin = random.number(path[1].time...path[2].time - 1)
      let place = to + 3 * random.normal()
      let length = random.number(0.2...1)
      let still = [Waypoint(time: begin, position: place), Waypoint(time: begin + length, position: place)]
      var finger = broad(still, strength: 30...110, flat: 0...0.3)
      (finger.rise, finger.fall) = (0.1, 0.1)
      add(finger)
    }
  }

  /// Fingers or a palm rub the sleeve, without a shape.
  private mutating func rub() {
    let path = wander(from: random.number(0...11), steps: random.count(3...14), far: 2.5, 0.08...0.5)
    add(broad(path, strength: 30...140, flat: 0...2.5))
  }

  /// A hand takes the arm: two to four fingers beside each other.
  private mutating func grip() {
    let length = random.number(0.3...3)
    let start = random.number(0...6)
    for finger in 0..<random.count(2...4) {
      let place = start + Double(finger) * random.number(1.2...2.4)
      let begin = random.number(0...0.08)
      let path = [
        Waypoint(time: begin, position: place), Waypoint(time: begin + length, position: place + 0.5 * random.normal()),
      ]
      var contact = broad(path, strength: 40...150, flat: 0...0.5)
      (contact.rise, contact.fall) = (random.number(0.03...0.15), random.number(0.03...0.2))
      add(contact)
    }
  }

  /// One short touch of an edge or an elbow; some are as narrow as a finger.
  private mutating func bump() {
    let place = random.number(-0.5...11.5)
    let path = [
      Waypoint(time: 0, position: place),
      Waypoint(time: random.number(0.04...0.3), position: place + 0.6 * random.normal()),
    ]
    add(broad(path, strength: 20...160, flat: 0...3))
  }
}
