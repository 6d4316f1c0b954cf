import Glibc
import TouchTracking

/// A hand that makes a gesture on a generated sleeve, differently each time: the ranges are those of docs/touch.md. It
/// lands and lifts within one to three samples. For even seeds the tag sends nothing while it is not touched, and then
/// numbers its samples from the start.
struct GeneratedHand {
  typealias Finger = GeneratedSleeve.Finger

  let sleeve: GeneratedSleeve
  let isSilent: Bool
  /// The strength of contacts: low for a thick sleeve or a light hand.
  let strength: Double
  let width: Double

  init(seed: UInt64, noise: Double) {
    sleeve = GeneratedSleeve(seed: seed, noise: noise)
    sleeve.loss = 0.05
    isSilent = seed % 2 == 0
    (strength, width) = (sleeve.number(50...120), sleeve.number(0.7...1.3))
    rest(seconds: 0.1)
  }

  private func number(_ range: ClosedRange<Double>) -> Double { sleeve.number(range) }

  /// The sleeve is not touched.
  func rest(seconds: Double) {
    if isSilent {
      sleeve.pause(seconds: seconds)
      sleeve.wait()
      return sleeve.lift()
    }
    for _ in 0..<max(1, Int((seconds / GeneratedSleeve.period).rounded())) { _ = sleeve.touch() }
  }

  /// The fingers at a fraction, 0 to 1, of a contact that takes this long.
  func touch(seconds: Double, _ fingers: (Double) -> [Finger]) {
    let samples = max(2, Int((seconds / GeneratedSleeve.period).rounded()))
    let ramp = min(number(1...3.5), Double(samples) / 2)
    for index in 0..<samples {
      let edge = Double(min(index + 1, samples - index)) / ramp
      _ = sleeve.touch(
        fingers(Double(index) / Double(samples - 1)).map { finger in
          Finger(position: finger.position, width: finger.width, strength: finger.strength * min(1, 0.4 + 0.6 * edge))
        })
    }
  }

  private func finger(_ position: Double, _ force: Double = 1) -> Finger {
    Finger(position: position, width: width, strength: strength * force)
  }

  /// One of two fingers: narrower, so that they can be distinguished.
  private func narrow(_ position: Double, _ force: Double = 1) -> Finger {
    Finger(position: position, width: 0.6 + (width - 0.7) / 3, strength: strength * force)
  }

  /// A finger at a place, from which it drifts.
  private func tap(near place: Double, seconds: ClosedRange<Double>, drift: Double = 0.3) {
    let (start, end) = (place + number(-0.5...0.5), number(-drift...drift))
    touch(seconds: number(seconds)) { [finger(start + end * $0)] }
  }

  func make(_ kind: TouchGesture.Kind) {
    let place = number(0.5...10.5)
    switch kind {
    case .tap: tap(near: place, seconds: 0.05...0.23)
    case .doubleTap:
      tap(near: place, seconds: 0.05...0.2)
      rest(seconds: number(0.08...0.22))
      tap(near: place, seconds: 0.05...0.2)
    case .hold: tap(near: place, seconds: 0.65...1.5, drift: 0.5)
    case .press: press(at: place)
    case .swipeIn, .swipeOut: swipe(kind == .swipeIn)
    case .scrub: scrub()
    case .twoFingerTap: twoFingerTap()
    case .spread, .pinch: spread(kind == .pinch)
    case .cover: cover()
    }
    rest(seconds: 0.4)
  }

  private func press(at place: Double) {
    let (rest, rise, kept) = (number(0.22...0.3), number(0.03...0.1), number(0.12...0.4))
    let (light, factor) = (number(50...65) / strength, number(1.8...2.3))
    let seconds = rest + rise + kept
    touch(seconds: seconds) { part in
      [finger(place, light * (1 + (factor - 1) * min(max((part * seconds - rest) / rise, 0), 1)))]
    }
  }

  private func swipe(_ isIn: Bool) {
    let length = number(4...10)
    let low = number(0.3...10.7 - length)
    let bend = number(0...0.4)
    touch(seconds: number(0.12...0.5)) { part in
      // The finger is slower at both ends, more or less.
      let eased = (1 - bend) * part + bend * (1 - cos(.pi * part)) / 2
      return [finger(low + length * (isIn ? 1 - eased : eased))]
    }
  }

  private func scrub() {
    let length = number(2.5...5)
    let low = number(0.3...10.7 - length)
    let (strokes, phase) = (number(3.6...8), number(0...1) < 0.5 ? 0 : Double.pi)
    touch(seconds: strokes * number(0.1...0.3)) { part in
      [finger(low + length * (1 - cos(.pi * strokes * part + phase)) / 2)]
    }
  }

  private func twoFingerTap() {
    let distance = number(3.5...8)
    let low = number(0.3...10.7 - distance)
    let (late, early) = (number(0...0.2), number(0.8...1))
    let isLowFirst = number(0...1) < 0.5
    touch(seconds: number(0.1...0.23)) { part in
      let second = (late...early).contains(part) || late == 0
      let both = [narrow(low), narrow(low + distance)]
      return second ? both : [both[isLowFirst ? 0 : 1]]
    }
  }

  private func spread(_ isPinch: Bool) {
    let (near, far) = (number(3...4), number(6.5...10))
    let low = number(0.3...10.7 - far)
    // One finger may rest.
    let share = number(0...1)
    touch(seconds: number(0.15...0.8)) { part in
      let distance = near + (far - near) * (isPinch ? 1 - part : part)
      return [narrow(low + (far - distance) * share), narrow(low + (far - distance) * share + distance)]
    }
  }

  private func palm(_ lines: ClosedRange<Double>, at first: Double) -> [Finger] {
    stride(from: lines.lowerBound, through: lines.upperBound, by: 1).map {
      Finger(position: first + $0, width: 1, strength: strength / 2.5)
    }
  }

  private func cover() {
    let size = number(8...11)
    let first = number(0...11 - size)
    let uneven = (0...11).map { _ in number(0.85...1.15) }
    touch(seconds: number(0.7...1.5)) { _ in
      zip(palm(0...size, at: first), uneven).map { finger, force in
        Finger(position: finger.position, width: finger.width, strength: finger.strength * force)
      }
    }
  }

  /// The sleeve rubs against something: contacts of any width, strength and speed, of less than half a second.
  func rub() {
    for _ in 0..<Int(number(1...4)) {
      let (start, speed, size) = (number(-1...12), number(-15...15), number(0.7...4))
      let (from, to) = (number(10...100), number(10...100))
      let seconds = number(0.02...0.45)
      touch(seconds: seconds) { part in
        [
          Finger(
            position: min(max(start + speed * part * seconds, -1), 12), width: size,
            strength: from + (to - from) * part)
        ]
      }
      rest(seconds: number(0.02...0.6))
    }
    rest(seconds: 0.4)
  }
}
