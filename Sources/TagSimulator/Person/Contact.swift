import Glibc

/// One finger, palm or foreign sleeve on the lines: where it is, and how strongly it presses, at each time.
struct Contact {
  struct Waypoint {
    /// Seconds from the beginning of the stroke.
    var time: Double
    /// The position in lines.
    var position: Double
  }

  /// It touches the sleeve only from `begin` to `end`; the hand may move before and after.
  var begin: Double
  var end: Double
  var path: [Waypoint]
  /// The strength in counts.
  var strength: Double
  /// Seconds until the full strength, and from it to nothing.
  var rise: Double
  var fall: Double
  /// The extents of the slopes towards the first and the last line, in lines.
  var widths: (low: Double, high: Double)
  /// Half the extent of the flat part between them.
  var flat = 0.0
  var roundness: Double
  var tremor = 0.0
  var tremorRate = 10.0
  var tremorPhase = 0.0
  /// Slow changes of the strength, as a fraction of the strength.
  var sway = 0.0
  var swayRate = 1.0

  func isThere(_ time: Double) -> Bool { time >= begin && time < end }

  /// Between two waypoints the hand moves with minimum jerk (Flash and Hogan, Journal of Neuroscience 5, 1985).
  func position(_ time: Double) -> Double {
    var place = path[0].position
    for index in path.indices.dropFirst() where time > path[index - 1].time {
      let (from, to) = (path[index - 1], path[index])
      let part = to.time > from.time ? min((time - from.time) / (to.time - from.time), 1) : 1
      let cube = part * part * part
      place = from.position + (to.position - from.position) * cube * (10 - 15 * part + 6 * part * part)
    }
    return place + tremor * sin(2 * .pi * tremorRate * time + tremorPhase)
  }

  /// Rises and falls smoothly.
  func pressure(_ time: Double) -> Double {
    guard isThere(time) else { return 0 }
    let slow = 1 + sway * sin(2 * .pi * swayRate * time + tremorPhase)
    return strength * slow * Self.smooth((time - begin) / rise) * Self.smooth((end - time) / fall)
  }

  private static func smooth(_ value: Double) -> Double {
    let part = min(max(value, 0), 1)
    return part * part * (3 - 2 * part)
  }

  /// Adds its effect to each line. A finger that presses harder is wider.
  func add(to readings: inout [Double], at time: Double) {
    let pressure = pressure(time)
    guard pressure > 0 else { return }
    let position = position(time)
    let spreading = 0.85 + 0.15 * pressure / strength
    for line in readings.indices {
      let offset = Double(line) - position
      let distance = max(abs(offset) - flat, 0) / (spreading * (offset < 0 ? widths.low : widths.high))
      guard distance < 6 else { continue }
      readings[line] += pressure * exp(-pow(distance, roundness) / 2)
    }
  }
}
