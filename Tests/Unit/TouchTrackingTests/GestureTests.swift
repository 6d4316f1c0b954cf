import TestWorld
import Testing
import TouchTracking

@Suite("Gestures that are derived from touches")
struct GestureTests {
  private typealias Finger = GeneratedSleeve.Finger
  private typealias Kind = TouchGesture.Kind

  /// A finger without noise that passes through these positions, one in each sample.
  private func sleeve(_ positions: [Double], strength: Double = 85, width: Double = 1) -> GeneratedSleeve {
    let sleeve = GeneratedSleeve(seed: 1)
    for position in positions { _ = sleeve.touch(Finger(position: position, width: width, strength: strength)) }
    return sleeve
  }

  @Test("have a tap at the end of a short touch") func tap() throws {
    let sleeve = sleeve([4, 4.2, 4.1])
    #expect(sleeve.gestures == [])
    let ended = sleeve.touch()
    let gesture = try #require(sleeve.gestures.first)
    #expect(sleeve.gestures.count == 1)
    #expect(gesture.kind == .tap && gesture.id == 1 && gesture.otherID == 0)
    #expect(gesture.time == ended[0].time && gesture.position == ended[0].position)
    #expect(gesture.distance == 0 && gesture.speed == 0)
  }

  @Test("have a tap too if the tag sends nothing after it") func silent() {
    let sleeve = sleeve([4, 4])
    sleeve.pause(seconds: 0.3)
    sleeve.wait()
    #expect(sleeve.gestures.map(\.kind) == [.tap])
    #expect(sleeve.gestures.map(\.time) == [1_016_667_000])
  }

  @Test("have a double tap at the end of the second tap, after the tap that the first one is") func doubleTap() {
    let sleeve = sleeve([4, 4])
    for _ in 0..<10 { _ = sleeve.touch() }
    #expect(sleeve.gestures.map(\.kind) == [.tap])
    for _ in 0..<3 { _ = sleeve.touch(Finger(position: 5)) }
    _ = sleeve.touch()
    #expect(sleeve.gestures.map(\.kind) == [.tap, .doubleTap])
    #expect(sleeve.gestures.map(\.id) == [1, 2])
    // A third tap is the first of another double tap.
    for _ in 0..<2 {
      _ = sleeve.touch(Finger(position: 5))
      _ = sleeve.touch()
    }
    #expect(sleeve.gestures.map(\.kind) == [.tap, .doubleTap, .tap, .doubleTap])
  }

  @Test(
    "have no double tap of taps that are far apart, in time or along the sleeve, or with something in between",
    arguments: [(20, 4.0, false), (5, 7, false), (5, 4, true)])
  func separateTaps(_ samples: Int, _ position: Double, _ withSwipe: Bool) {
    let sleeve = sleeve([4, 4])
    if withSwipe { for step in 0...6 { _ = sleeve.touch(Finger(position: 10 - Double(step))) } }
    for _ in 0..<samples { _ = sleeve.touch() }
    _ = sleeve.touch(Finger(position: position))
    _ = sleeve.touch()
    #expect(sleeve.gestures.filter { $0.kind == .doubleTap } == [])
    #expect(sleeve.gestures.last?.kind == .tap)
  }

  @Test("have a hold as soon as a finger has rested for half a second, and nothing when it is lifted") func hold() {
    let sleeve = sleeve(Array(repeating: 4, count: 30))
    #expect(sleeve.gestures == [])
    _ = sleeve.touch(Finger(position: 4))
    #expect(sleeve.gestures.map(\.kind) == [.hold])
    #expect(sleeve.gestures.map(\.time) == [1_500_000_000])
    for step in 0...8 { _ = sleeve.touch(Finger(position: 4 + Double(step) / 2)) }
    _ = sleeve.touch()
    #expect(sleeve.gestures.count == 1)
  }

  @Test("have nothing for a touch that is longer than a tap and shorter than a hold") func between() {
    let sleeve = sleeve(Array(repeating: 4, count: 24))
    _ = sleeve.touch()
    #expect(sleeve.gestures == [])
  }

  @Test("have a press when a finger that has landed becomes half as strong again") func press() {
    let sleeve = sleeve(Array(repeating: 4, count: 10), strength: 60)
    for strength in [70, 80, 91, 91, 91.0] { _ = sleeve.touch(Finger(position: 4, strength: strength)) }
    #expect(sleeve.gestures.map(\.kind) == [.press])
    for _ in 0..<60 { _ = sleeve.touch(Finger(position: 4, strength: 120)) }
    _ = sleeve.touch()
    #expect(sleeve.gestures.count == 1)
  }

  @Test("have no press of a finger that lands slowly, nor of one stronger sample") func noPress() {
    let sleeve = GeneratedSleeve(seed: 1)
    for step in 0..<12 { _ = sleeve.touch(Finger(position: 4, strength: 40 + Double(step) * 6)) }
    for step in 0..<15 { _ = sleeve.touch(Finger(position: 4, strength: step % 3 == 0 ? 90 : 45)) }
    _ = sleeve.touch()
    #expect(sleeve.gestures == [])
  }

  @Test("have swipes in to the first line and out to the last one, with distance and speed", arguments: [1.0, -1])
  func swipe(_ direction: Double) throws {
    let sleeve = sleeve((0...12).map { 5 + direction * (Double($0) / 2 - 3) })
    #expect(sleeve.gestures == [])
    _ = sleeve.touch()
    let gesture = try #require(sleeve.gestures.first)
    #expect(sleeve.gestures.count == 1)
    #expect(gesture.kind == (direction > 0 ? .swipeOut : .swipeIn))
    #expect(abs(Double(gesture.distance) / 256 - direction * 6) < 0.1)
    #expect(abs(Double(gesture.speed) / 256 - direction * 30) < 0.5)
    #expect(abs(Double(gesture.position) / 256 - (5 + direction * 3)) < 0.1)
  }

  @Test("have no swipe that is short, slow, or comes back", arguments: [1.0, 2, 3])
  func noSwipe(_ number: Double) {
    let positions: [Double] =
      switch number {
      case 1: (0...10).map { 4 + Double($0) / 4 }
      case 2: (0...60).map { 3 + Double($0) / 10 }
      default: (0...10).map { 3 + Double($0) / 2 } + (1...4).map { 8 - Double($0) / 2 }
      }
    let sleeve = sleeve(positions)
    _ = sleeve.touch()
    #expect(sleeve.gestures == [])
  }

  @Test("have a scrub for each stroke from the second one on, when the finger turns") func scrub() {
    let there = (0...6).map { 3 + Double($0) / 2 }
    let sleeve = sleeve(there + there.reversed() + there)
    #expect(sleeve.gestures.map(\.kind) == [.scrub])
    for position in Array(there.reversed() + there) { _ = sleeve.touch(Finger(position: position)) }
    _ = sleeve.touch()
    #expect(sleeve.gestures.map(\.kind) == [.scrub, .scrub, .scrub])
    #expect(sleeve.gestures.map { ($0.distance + ($0.distance > 0 ? 128 : -128)) / 256 } == [-3, 3, -3])
    #expect(sleeve.gestures.allSatisfy { $0.id == 1 })
  }

  /// Two fingers that go from one distance to the other, around the middle.
  private func pair(from first: Double, to last: Double, samples: Int, middle: Double = 5.5) -> GeneratedSleeve {
    let sleeve = GeneratedSleeve(seed: 1)
    for step in 0..<samples {
      let half = (first + (last - first) * Double(step) / Double(samples - 1)) / 2
      _ = sleeve.touch(Finger(position: middle - half, width: 0.7), Finger(position: middle + half, width: 0.7))
    }
    return sleeve
  }

  @Test("have a two-finger tap at the end of both touches, and no tap") func twoFingerTap() throws {
    let sleeve = pair(from: 4, to: 4, samples: 8)
    _ = sleeve.touch(Finger(position: 3.5, width: 0.7))
    #expect(sleeve.gestures == [])
    _ = sleeve.touch()
    let gesture = try #require(sleeve.gestures.first)
    #expect(sleeve.gestures.count == 1)
    #expect(gesture.kind == .twoFingerTap && gesture.id == 1 && gesture.otherID == 2)
    #expect(abs(Double(gesture.position) / 256 - 5.5) < 0.1)
  }

  @Test("have a spread and a pinch, with the change of the distance", arguments: [(4.0, 8.0), (8, 4)])
  func spread(_ first: Double, _ last: Double) throws {
    let sleeve = pair(from: first, to: last, samples: 25)
    #expect(sleeve.gestures == [])
    _ = sleeve.touch(Finger(position: 5.5 - last / 2, width: 0.7))
    let gesture = try #require(sleeve.gestures.first)
    #expect(gesture.kind == (first < last ? .spread : .pinch))
    #expect(Set([gesture.id, gesture.otherID]) == [1, 2])
    #expect(abs(Double(gesture.distance) / 256 - (last - first)) < 0.1)
    #expect(abs(Double(gesture.speed) / 256 - (last - first) / 0.4) < 0.5)
    for _ in 0..<40 { _ = sleeve.touch(Finger(position: 5.5 - last / 2, width: 0.7)) }
    _ = sleeve.touch()
    #expect(sleeve.gestures.count == 1)
  }

  @Test("have a pinch of fingers that meet, and a spread of fingers that part") func meeting() {
    #expect(pair(from: 8, to: 0, samples: 30).gestures.map(\.kind) == [.pinch])
    let parting = pair(from: 0, to: 8, samples: 30)
    _ = parting.touch()
    #expect(parting.gestures.map(\.kind) == [.spread])
  }

  @Test("have nothing of two fingers that move together, nor of three") func crowds() {
    let together = GeneratedSleeve(seed: 1)
    for step in 0..<12 {
      _ = together.touch((0...1).map { Finger(position: Double(step) / 3 + 5 * Double($0), width: 0.7) })
    }
    _ = together.touch()
    #expect(together.gestures == [])
    let three = GeneratedSleeve(seed: 1)
    for _ in 0..<60 { _ = three.touch([1, 5.5, 10].map { Finger(position: $0, width: 0.7) }) }
    _ = three.touch()
    #expect(three.gestures == [])
  }

  @Test("have a cover of a palm that rests for half a second, and nothing of one that does not") func cover() {
    let palm = (0..<12).map { Finger(position: Double($0), strength: 40) }
    let sleeve = GeneratedSleeve(seed: 1)
    for _ in 0..<28 { _ = sleeve.touch(palm) }
    _ = sleeve.touch()
    #expect(sleeve.gestures == [])
    for _ in 0..<60 { _ = sleeve.touch(palm) }
    _ = sleeve.touch()
    #expect(sleeve.gestures.map(\.kind) == [.cover])
  }

  @Test("are none of touches that are cancelled", arguments: [1, 9]) func cancelled(_ samples: Int) {
    let one = sleeve((0..<samples).map { 4 + Double($0) / 2 })
    _ = one.cancel()
    #expect(one.gestures == [])
    let two = pair(from: 8, to: samples == 1 ? 8 : 4, samples: 10)
    _ = two.cancel()
    #expect(two.gestures == [])
  }

  @Test("have no double tap if the link was lost after the first tap") func lostLink() {
    let sleeve = sleeve([4, 4])
    _ = sleeve.touch()
    _ = sleeve.cancel()
    _ = sleeve.touch(Finger(position: 4))
    _ = sleeve.touch()
    #expect(sleeve.gestures.map(\.kind) == [.tap, .tap])
  }
}
