import TestWorld
import Testing
import TouchTracking

/// The limits are those of docs/touch.md. The measured values are also there; the tests print them.
@Suite("Touches that are known exactly")
struct AccuracyTests {
  private static let seeds: UInt64 = 200

  private func show(_ name: String, _ values: [Double]) {
    let figures = [0.5, 0.95, 1].map { (values.quantile($0) * 1000).rounded() / 1000 }
    print("\(name): median \(figures[0]), 95 % \(figures[1]), largest \(figures[2]), of \(values.count)")
  }

  @Test("have positions within the published errors", arguments: [(2.0, 0.05, 0.15), (5, 0.07, 0.25)])
  func position(_ noise: Double, _ median: Double, _ most: Double) {
    var errors: [Double] = []
    for seed in 1...Self.seeds as ClosedRange<UInt64> {
      let sleeve = GeneratedSleeve(seed: seed, noise: noise)
      var finger = sleeve.finger()
      let speed = sleeve.number(-5...5)
      for _ in 0..<30 {
        finger.position = min(max(finger.position + speed * GeneratedSleeve.period, 0), 11)
        for point in sleeve.touch(finger) where point.isThere {
          errors.append(abs(point.place - finger.position))
        }
      }
    }
    show("position, noise \(noise)", errors)
    #expect(errors.count > 29 * Int(Self.seeds))
    #expect(errors.quantile(0.5) <= median && errors.quantile(0.95) <= most)
  }

  @Test("by one finger are one touch", arguments: [0.0, 1, 2, 3, 4, 5])
  func oneFinger(_ noise: Double) {
    var samples = 0
    for seed in 1...Self.seeds as ClosedRange<UInt64> {
      let sleeve = GeneratedSleeve(seed: seed, noise: noise)
      sleeve.loss = 0.05
      var finger = sleeve.finger(strengths: 50...128)
      var speed = sleeve.number(-40...40)
      var ids: Set<UInt32> = []
      for _ in 0..<120 {
        finger.position += speed * GeneratedSleeve.period
        if !(0...11).contains(finger.position) {
          finger.position = min(max(finger.position, 0), 11)
          speed = -speed
        }
        let points = sleeve.touch(finger)
        ids.formUnion(points.map(\.id))
        samples += 1
        guard points.count <= 1, ids.count <= 1 else {
          Issue.record("seed \(seed), noise \(noise), sample \(samples): \(finger), \(points)")
          break
        }
      }
      #expect(ids.count == 1)
    }
  }

  @Test("by two fingers, three lines apart or more, are two touches with their own IDs", arguments: [0.0, 2, 5])
  func twoFingers(_ noise: Double) {
    var (late, samples) = (0, 0)
    for seed in 1...Self.seeds as ClosedRange<UInt64> {
      let sleeve = GeneratedSleeve(seed: seed, noise: noise)
      sleeve.loss = 0.05
      var (low, high) = (sleeve.finger(widths: 0.6...0.8), sleeve.finger(widths: 0.6...0.8))
      low.position = sleeve.number(0...8)
      high.position = sleeve.number(low.position + 3...11)
      var speeds = (sleeve.number(-30...30), sleeve.number(-30...30))
      var ids: [UInt32] = []
      for number in 0..<120 {
        speeds.0 = turned(&low, speeds.0, 0...high.position - 3)
        speeds.1 = turned(&high, speeds.1, low.position + 3...11)
        let points = sleeve.touch(low, high)
        guard !sleeve.wasLost else { continue }
        samples += 1
        let there = points.filter(\.isThere)
        if ids.isEmpty {
          // Noise may hide the valley between two fingers that land at once.
          if there.count == 2 { ids = there.map(\.id) } else { late += 1 }
          #expect(number < 6 || !ids.isEmpty, "seed \(seed): \(low), \(high), \(points)")
          continue
        }
        guard points.map(\.id) == ids, points.allSatisfy({ $0.phase == .moved }) else {
          Issue.record("seed \(seed), noise \(noise), sample \(number): \(low), \(high), \(points)")
          break
        }
      }
    }
    print("two fingers, noise \(noise): \(late) samples until two were there, of \(samples)")
    #expect(noise > 2 || late == 0)
  }

  /// Moves a finger, and turns it back at the limits.
  private func turned(_ finger: inout GeneratedSleeve.Finger, _ speed: Double, _ limits: ClosedRange<Double>) -> Double
  {
    let next = finger.position + speed * GeneratedSleeve.period
    finger.position = min(max(next, limits.lowerBound), limits.upperBound)
    return limits.contains(next) ? speed : -speed
  }

  @Test("have speeds within the published errors, although samples are lost") func speed() {
    var errors: [Double] = []
    for seed in 1...Self.seeds as ClosedRange<UInt64> {
      let sleeve = GeneratedSleeve(seed: seed, noise: 2)
      sleeve.loss = 0.05
      var finger = sleeve.finger()
      let seconds = sleeve.number(0.1...0.5)
      let speed = 10 / seconds
      while sleeve.time <= seconds {
        finger.position = 0.5 + speed * sleeve.time
        for point in sleeve.touch(finger) where point.phase == .moved && sleeve.time > 0.08 {
          errors.append(abs(point.pace / speed - 1))
        }
      }
    }
    show("speed", errors)
    #expect(errors.quantile(0.5) <= 0.02 && errors.quantile(0.95) <= 0.05)
  }

  @Test("that are stronger than a line can report have positions within the same errors") func saturated() {
    var errors: [Double] = []
    for seed in 1...Self.seeds as ClosedRange<UInt64> {
      let sleeve = GeneratedSleeve(seed: seed, noise: 2)
      var finger = sleeve.finger(strengths: 130...220)
      // At an end only one side of a finger is on lines, and its steepest part may be saturated.
      finger.position = sleeve.number(2...9)
      for point in (0..<10).flatMap({ _ in sleeve.touch(finger) }) {
        errors.append(abs(point.place - finger.position))
      }
    }
    show("saturated", errors)
    #expect(errors.quantile(0.5) <= 0.05 && errors.quantile(0.95) <= 0.15)
  }
}
