import Glibc
import TestWorld
import TouchTracking

/// A sleeve with fingers that press as a bell curve, and normal noise, read 60 times a second. Its lines, and the shape
/// of a finger, may be imperfect.
final class GeneratedSleeve {
  struct Finger {
    enum Shape {
      case bell
      /// A bell, wider on the side of the last line by this factor, and narrower by it on the other side.
      case skewed(Double)
      /// A bell that is equally strong within this distance.
      case flat(Double)
      /// Two bells at this distance.
      case humps(Double)
    }

    var position: Double
    var width = 1.0
    var strength = 85.0
    var shape = Shape.bell

    func reading(on line: Int) -> Double {
      let distance = Double(line) - position
      switch shape {
      case .bell: return strength * bell(distance / width)
      case .skewed(let factor): return strength * bell(distance / (distance > 0 ? width * factor : width / factor))
      case .flat(let half): return strength * bell(max(0, abs(distance) - half) / width)
      case .humps(let apart):
        let both = bell((distance - apart / 2) / width) + bell((distance + apart / 2) / width)
        return strength * both / max(1, 2 * bell(apart / 2 / width))
      }
    }

    private func bell(_ distance: Double) -> Double { exp(-distance * distance / 2) }
  }

  static let period = 1.0 / 60

  private var random: SeededRandom
  var noise: Double
  var loss = 0.0
  /// The reading of all lines without a touch.
  var offset = 0.0
  /// The additional reading of each line without a touch.
  var levels = [Double](repeating: 0, count: 12)
  var gains = [Double](repeating: 1, count: 12)
  /// The constant readings of broken lines: 0 for a dead one, more for a stuck one.
  var broken: [Int: UInt8] = [:]
  /// The fraction of readings that are random.
  var spikes = 0.0
  private(set) var wasLost = false
  private var tracker = TouchTracker()
  /// All gestures so far.
  private(set) var gestures: [TouchGesture] = []
  private var sequence: UInt32 = 0
  private var index = 0

  init(seed: UInt64, noise: Double = 0) {
    random = SeededRandom(seed: seed)
    self.noise = noise
  }

  /// The time of the next sample in seconds.
  var time: Double { Double(index) * Self.period }

  func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

  func finger(widths: ClosedRange<Double> = 0.7...1.3, strengths: ClosedRange<Double> = 50...120) -> Finger {
    Finger(position: number(0...11), width: number(widths), strength: number(strengths))
  }

  private func normal() -> Double {
    (-2 * log(number(.leastNonzeroMagnitude...1))).squareRoot() * cos(2 * .pi * number(0...1))
  }

  func lines(_ fingers: [Finger]) -> TouchLines<UInt8> {
    var lines = TouchLines<UInt8>(repeating: 0)
    for line in lines.indices {
      var reading = offset + levels[line] + noise * normal()
      for finger in fingers { reading += gains[line] * finger.reading(on: line) }
      if spikes > 0, number(0...1) < spikes { reading = number(0...128) }
      lines[line] = broken[line] ?? UInt8(min(max(reading.rounded(), 0), 128))
    }
    return lines
  }

  /// The points of the next sample, with these fingers.
  func touch(_ fingers: Finger...) -> [TouchPoint] { touch(fingers) }

  func touch(_ fingers: [Finger]) -> [TouchPoint] {
    let lines = lines(fingers)
    let nanoseconds = Int64((time * 1e6).rounded()) * 1000 + 1_000_000_000
    index += 1
    sequence += 1
    wasLost = loss > 0 && number(0...1) < loss
    guard !wasLost else { return [] }
    return collect { $0.read(lines, sequence: sequence, time: nanoseconds, $1) }
  }

  /// The tracker's knowledge of each line.
  var health: [LineHealth] { (0..<12).map { tracker.health[$0] } }

  /// Nothing touches the sleeve. Returns how many touches begin.
  func rest(seconds: Double) -> Int {
    (0..<Int(seconds / Self.period)).reduce(0) { sum, _ in sum + touch().count { $0.phase == .began } }
  }

  /// A finger goes from one position to another one, and is lifted for a third of a second.
  @discardableResult func stroke(_ finger: Finger, to end: Double, seconds: Double) -> [TouchPoint] {
    let samples = Int(seconds / Self.period)
    var points: [TouchPoint] = []
    for index in 0...samples {
      var moved = finger
      moved.position += (end - finger.position) * Double(index) / Double(samples)
      points += touch(moved)
    }
    return points + (0..<20).flatMap { _ in touch() }
  }

  private func collect(_ body: (inout TouchTracker, (TouchPoint) -> Void) -> Void) -> [TouchPoint] {
    var points: [TouchPoint] = []
    body(&tracker) { points.append($0) }
    gestures += (0..<tracker.gestures.count).map { tracker.gestures[$0] }
    return points
  }

  /// The tag sends nothing for a while.
  func pause(seconds: Double) { index += Int((seconds / Self.period).rounded()) }

  func lift() { sequence = 0 }

  @discardableResult func wait() -> [TouchPoint] {
    collect { $0.wait(until: Int64(time * 1e9) + 1_000_000_000, $1) }
  }

  func cancel() -> [TouchPoint] {
    collect { $0.cancel(at: Int64(time * 1e9) + 1_000_000_000, $1) }
  }
}

extension TouchPoint {
  var isThere: Bool { phase == .began || phase == .moved }
  /// The position in lines.
  var place: Double { Double(position) / 256 }
  /// The speed in lines per second.
  var pace: Double { Double(speed) / 256 }
}

extension [Double] {
  /// The value below which this fraction of the values lies.
  func quantile(_ fraction: Double) -> Double { sorted()[Int(Double(count - 1) * fraction)] }
}
