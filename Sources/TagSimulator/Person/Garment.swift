import Glibc

/// The twelve lines of a sleeve, and what they read. All numbers are invented: the noise of a real one is not known.
struct Garment: Sendable {
  static let lineCount = 12
  /// The largest reading (`jacquard_touch.lines`).
  static let largest = 128.0
  /// Counts below which the tag regards the sleeve as not touched.
  private static let touched = 5.0

  private struct Line {
    /// Yarns are not equally sensitive.
    var gain: Double
    var noise: Double
    /// The change of the reading without a touch, slow with humidity, temperature and folds.
    var drift: Double
    var period: Double
    var phase: Double
  }

  private var lines: [Line]
  /// The part of a line's signal that its neighbours pick up.
  private var coupling: Double
  /// Noise that all lines have at the same time, because the body moves.
  private var commonNoise: Double

  init(_ random: inout RandomNumbers) {
    let noise = random.number(0.5...2)
    lines = []
    for _ in 0..<Self.lineCount {
      lines.append(
        Line(
          gain: random.normal(1, 0.06, 0.82...1.18), noise: noise * random.number(0.7...1.3),
          drift: random.number(0...4), period: random.number(40...300), phase: random.number(0...2 * .pi)))
    }
    coupling = random.number(0.02...0.08)
    commonNoise = random.number(0...1)
  }

  /// The proximity, then the twelve lines; nil while the sleeve is not touched. `now` is the time of the garment, and
  /// `time` that of the stroke.
  func read(_ contacts: [Contact], at time: Double, now: Double, _ random: inout RandomNumbers) -> [UInt8]? {
    var signals = [Double](repeating: 0, count: Self.lineCount)
    for contact in contacts { contact.add(to: &signals, at: time) }
    guard signals.contains(where: { $0 >= Self.touched }) else { return nil }
    let common = commonNoise * random.normal()
    var readings = [UInt8](repeating: 0, count: Self.lineCount + 1)
    for (index, line) in lines.enumerated() {
      let below = index > 0 ? signals[index - 1] : 0
      let above = index + 1 < Self.lineCount ? signals[index + 1] : 0
      let drift = line.drift * sin(2 * .pi * now / line.period + line.phase)
      let noise = common + line.noise * random.normal()
      readings[index + 1] = Self.reading(line.gain * signals[index] + coupling * (below + above) + drift + noise)
    }
    // The proximity sensor's scale is not documented. Here it says how much of the hand is on the sleeve.
    readings[0] = Self.reading(24 + signals.reduce(0, +) / 3 + 2 * random.normal())
    return readings
  }

  private static func reading(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), largest)) }
}
