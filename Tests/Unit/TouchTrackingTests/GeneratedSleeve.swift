import Glibc
import TestWorld
import TouchTracking

/// A sleeve with fingers that press as a bell curve, and normal noise, read 60 times a second.
final class GeneratedSleeve {
  struct Finger {
    var position: Double
    var width = 1.0
    var strength = 85.0
  }

  static let period = 1.0 / 60

  private var random: SeededRandom
  var noise: Double
  var loss = 0.0
  /// What each line reads without a touch.
  var offset = 0.0
  private(set) var wasLost = false
  private var tracker = TouchTracker()
  /// All so far.
  private(set) var gestures: [TouchGesture] = []
  private var sequence: UInt32 = 0
  private var index = 0

  init(seed: UInt64, noise: Double = 0) {
    random = SeededRandom(seed: seed)
    self.noise = noise
  }

  /// Seconds at the next sample.
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
      var reading = offset + noise * normal()
      for finger in fingers {
        let distance = (Double(line) - finger.position) / finger.width
        reading += finger.strength * exp(-distance * distance / 2)
      }
      lines[line] = UInt8(min(max(reading.rounded(), 0), 128))
    }
    return lines
  }

  /// What the next sample yields.
  func touch(_ fingers: Finger...) -> [TouchPoint] { touch(fingers) }

  func touch(_ fingers: [Finger]) -> [TouchPoint] {
    let lines = lines(fingers)
    let microseconds = UInt64((time * 1e6).rounded()) + 1_000_000
    index += 1
    sequence += 1
    wasLost = loss > 0 && number(0...1) < loss
    guard !wasLost else { return [] }
    return collect { $0.read(lines, sequence: sequence, time: microseconds, $1) }
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
    collect { $0.wait(until: UInt64(time * 1e6) + 1_000_000, $1) }
  }

  func cancel() -> [TouchPoint] {
    collect { $0.cancel(at: UInt64(time * 1e6) + 1_000_000, $1) }
  }
}

extension TouchPoint {
  var isThere: Bool { phase == .began || phase == .moved }
  /// In lines.
  var place: Double { Double(position) / 256 }
  /// In lines per second.
  var pace: Double { Double(speed) / 256 }
}

extension [Double] {
  /// The value below which a fraction of all are.
  func quantile(_ fraction: Double) -> Double { sorted()[Int(Double(count - 1) * fraction)] }
}
