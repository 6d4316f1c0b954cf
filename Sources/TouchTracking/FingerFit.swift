/// The fingers that fit the signals best, by least squares (Gauss and Newton).
///
/// Each pass goes through the fingers. For one of them, *r* are the signals of its lines without the other fingers'
/// readings. The three normal equations of
///
///     Σ (r - A g)² + λ (w - w₀)² → min,   g = exp(-(i - x)² / 2w²)
///
/// yield the changes of its position, width and strength. The second term is the prior knowledge about fingers: at an
/// end of the sleeve, where half of a finger is on no line, the lines alone do not determine its width. A position is
/// not biased there, as a centroid would be. A saturated line counts only while the fit is below it.
struct FingerFit {
  private static let mostPasses = 6
  /// In lines: the fit ends when no position moves by more than this.
  private static let accuracy: Float = 0.01
  /// *w₀*, and its standard deviation.
  private static let usualWidth: Float = 0.95
  private static let widthDeviation: Float = 0.3
  /// The narrowest finger that twelve lines can show, and a palm.
  static let widths: ClosedRange<Float> = 0.5...6
  private static let strongest: Float = 255
  /// The largest change of the position in one pass, in lines, and of the width, as a fraction.
  private static let largestMove: Float = 0.75
  private static let largestStretch: Float = 0.25
  private static let damping: Float = 0.1

  private let areSaturated: TouchLines<Bool>
  private let areLeftOut: TouchLines<Bool>
  private let meanNoise: Float
  /// The part of each reading that no finger explains.
  private var residuals: TouchLines<Float>
  private var profiles = InlineArray<4, TouchLines<Float>>(repeating: TouchLines(repeating: 0))

  private init(_ signals: LineSignals) {
    (areSaturated, areLeftOut, meanNoise) = (signals.areSaturated, signals.areLeftOut, signals.meanNoise)
    residuals = signals.values
  }

  static func improve(_ fingers: inout Fingers, _ signals: LineSignals) {
    var fit = FingerFit(signals)
    for index in 0..<fingers.count { fit.subtract(fingers[index], index, before: 0) }
    for _ in 0..<mostPasses {
      var largest: Float = 0
      for index in 0..<fingers.count {
        let before = fingers[index]
        fit.step(&fingers[index], index)
        fit.subtract(fingers[index], index, before: before.strength)
        largest = max(largest, abs(fingers[index].position - before.position))
      }
      if largest < accuracy { return }
    }
  }

  /// Updates the residuals for a finger that had the strength `before`. Each element of a constant array would be read
  /// from a copy of the whole array (Swift 6.3), so the arrays are read in place.
  private mutating func subtract(_ finger: Finger, _ index: Int, before: Float) {
    var changes = TouchLines<Float>(repeating: 0)
    for line in changes.indices { changes[line] = before * profiles[index][line] }
    profiles[index] = finger.profile()
    for line in changes.indices { residuals[line] += changes[line] - finger.strength * profiles[index][line] }
  }

  /// Mutating, because it would work on a copy of the fit otherwise.
  private mutating func step(_ finger: inout Finger, _ index: Int) {
    // The sums of the products of the three derivatives, and of each with the residual.
    var (xx, xw, xa, ww, wa, aa): (Float, Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0, 0)
    var (x, w, a): (Float, Float, Float) = (0, 0, 0)
    let slope = finger.strength / (finger.width * finger.width)
    let reach = finger.reach
    for line in max(finger.first, reach.lowerBound)..<min(finger.last, reach.upperBound) + 1 {
      let residual = residuals[line]
      if areLeftOut[line] || areSaturated[line] && residual < 0 { continue }
      let g = profiles[index][line]
      let distance = Float(line) - finger.position
      let byPosition = slope * g * distance
      let byWidth = byPosition * distance / finger.width
      xx += byPosition * byPosition
      xw += byPosition * byWidth
      xa += byPosition * g
      ww += byWidth * byWidth
      wa += byWidth * g
      aa += g * g
      x += byPosition * residual
      w += byWidth * residual
      a += g * residual
    }
    let deviation = meanNoise / Self.widthDeviation
    ww += deviation * deviation
    w += deviation * deviation * (Self.usualWidth - finger.width)
    // Damping (Marquardt) keeps steps from overshooting, and there is a solution even if no line reads anything.
    xx += Self.damping * xx + 1
    ww += Self.damping * ww
    aa += Self.damping * aa + 0.01

    // Cramer's rule for the symmetric equations.
    let (c11, c12, c13) = (ww * aa - wa * wa, wa * xa - xw * aa, xw * wa - ww * xa)
    let determinant = xx * c11 + xw * c12 + xa * c13
    guard determinant > 1e-6 else { return }
    let (c22, c23, c33) = (xx * aa - xa * xa, xw * xa - xx * wa, xx * ww - xw * xw)
    let move = (c11 * x + c12 * w + c13 * a) / determinant
    let stretch = (c12 * x + c22 * w + c23 * a) / determinant
    let gain = (c13 * x + c23 * w + c33 * a) / determinant
    let largestStretch = Self.largestStretch * finger.width
    finger.position = min(
      max(finger.position + limited(move, Self.largestMove), Float(finger.first)), Float(finger.last))
    finger.width = min(
      max(finger.width + limited(stretch, largestStretch), Self.widths.lowerBound), Self.widths.upperBound)
    finger.strength = min(max(finger.strength + gain, 0), Self.strongest)
  }

  private func limited(_ value: Float, _ limit: Float) -> Float { min(max(value, -limit), limit) }
}
