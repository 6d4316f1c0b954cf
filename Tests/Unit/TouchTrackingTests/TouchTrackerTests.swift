import TestWorld
import Testing
import TouchTracking

@Suite("A touch tracker")
struct TouchTrackerTests {
  private typealias Finger = GeneratedSleeve.Finger

  @Test("reports nothing while nothing touches, with noise on the lines", arguments: [0.0, 2, 5])
  func untouched(_ noise: Double) throws {
    for offset in [0.0, 8] {
      let sleeve = GeneratedSleeve(seed: 1, noise: noise)
      sleeve.offset = offset
      for _ in 0..<20_000 { #expect(sleeve.touch() == []) }
    }
  }

  @Test("reports that a touch began, moved and ended, with one ID") func phases() throws {
    let sleeve = GeneratedSleeve(seed: 1)
    let began = sleeve.touch(Finger(position: 4))
    let moved = sleeve.touch(Finger(position: 4.5))
    let ended = sleeve.touch()
    let points = began + moved + ended
    #expect(points.map(\.phase) == [.began, .moved, .ended])
    #expect(points.map(\.id) == [1, 1, 1])
    #expect(points.map(\.time) == [1_000_000_000, 1_016_667_000, 1_033_333_000])
    #expect(abs(points[0].place - 4) < 0.01 && abs(points[1].place - 4.5) < 0.01)
    #expect(points[2].position == points[1].position)
    #expect(abs(points[1].strength - 85) <= 1 && abs(points[1].width - 256) <= 4)
    #expect(points[0].speed == 0 && abs(points[1].pace - 30) < 1)
    #expect(sleeve.touch(Finger(position: 4)).map(\.id) == [2])
  }

  @Test("finds positions at both ends of the sleeve", arguments: [0.0, 0.25, 0.5, 10.5, 10.75, 11])
  func ends(_ position: Double) throws {
    let sleeve = GeneratedSleeve(seed: 1)
    let point = try #require(sleeve.touch(Finger(position: position)).first)
    #expect(abs(point.place - position) < 0.04)
  }

  @Test("takes a smaller sequence number for a new touch") func restart() throws {
    let sleeve = GeneratedSleeve(seed: 1)
    for _ in 0..<3 { _ = sleeve.touch(Finger(position: 4)) }
    sleeve.lift()
    let points = sleeve.touch(Finger(position: 4))
    #expect(points.map(\.phase) == [.ended, .began])
    #expect(points.map(\.id) == [1, 2])
    #expect(points.map(\.time) == [1_033_333_000, 1_050_000_000])
    #expect(points[1].speed == 0)
  }

  @Test("ignores a copy of a sample") func copy() {
    var tracker = TouchTracker()
    let sleeve = GeneratedSleeve(seed: 1)
    let lines = sleeve.lines([Finger(position: 4)])
    var points: [TouchPoint] = []
    for time in [0, 100_000] as [Int64] { tracker.read(lines, sequence: 7, time: time) { points.append($0) } }
    #expect(points.map(\.phase) == [.began])
  }

  @Test("continues a touch after lost samples, and ends it after a quarter of a second") func silence() throws {
    let sleeve = GeneratedSleeve(seed: 1)
    _ = sleeve.touch(Finger(position: 4))
    sleeve.pause(seconds: 0.2)
    #expect(sleeve.wait() == [])
    #expect(sleeve.touch(Finger(position: 4)).map(\.phase) == [.moved])
    sleeve.pause(seconds: 0.3)
    let ended = sleeve.wait()
    #expect(ended.map(\.phase) == [.ended])
    #expect(ended.map(\.time) == [1_216_667_000])
    #expect(sleeve.wait() == [])
    #expect(sleeve.touch(Finger(position: 4)).map(\.phase) == [.began])
    sleeve.pause(seconds: 0.3)
    #expect(sleeve.touch(Finger(position: 4)).map(\.phase) == [.ended, .began])
  }

  @Test("cancels all touches when the link is lost") func lostLink() throws {
    let sleeve = GeneratedSleeve(seed: 1)
    _ = sleeve.touch(Finger(position: 2), Finger(position: 8))
    let cancelled = sleeve.cancel()
    #expect(cancelled.map(\.phase) == [.cancelled, .cancelled])
    #expect(cancelled.map(\.id) == [1, 2])
    #expect(sleeve.cancel() == [])
    // The sequence number is smaller, because the tag may have restarted: no touch is left that could end.
    sleeve.lift()
    #expect(sleeve.touch(Finger(position: 2)).map(\.phase) == [.began])
  }

  @Test("uses the latest time if a time is earlier") func time() {
    var tracker = TouchTracker()
    let sleeve = GeneratedSleeve(seed: 1)
    var points: [TouchPoint] = []
    for (sequence, time) in [(1, 500_000_000), (2, 400_000_000), (3, -1), (4, 516_000_000)] as [(UInt32, Int64)] {
      let lines = sleeve.lines([Finger(position: Double(sequence))])
      tracker.read(lines, sequence: sequence, time: time) { points.append($0) }
    }
    #expect(points.map(\.phase) == [.began, .moved, .moved, .moved])
    #expect(points.map(\.time) == [500_000_000, 500_000_000, 500_000_000, 516_000_000])
  }

  @Test("continues the older touch when two fingers meet, and begins one when they part", arguments: [true, false])
  func meeting(_ lowIsOlder: Bool) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let sleeve = GeneratedSleeve(seed: seed, noise: 2)
      var (low, high) = (Finger(position: 3, width: 0.8), Finger(position: 8, width: 0.8))
      _ = sleeve.touch(lowIsOlder ? low : high)
      let first = sleeve.touch(low, high)
      #expect(Set(first.map(\.id)) == [1, 2])
      #expect(first.map(\.id) == (lowIsOlder ? [1, 2] : [2, 1]))
      var points: [TouchPoint] = []
      for _ in 0..<30 {
        (low.position, high.position) = (low.position + 0.07, high.position - 0.07)
        points += sleeve.touch(low, high)
      }
      #expect(points.filter { $0.phase != .moved }.map(\.phase) == [.ended])
      #expect(points.filter { $0.phase == .ended }.map(\.id) == [2])
      points = []
      for _ in 0..<30 {
        (low.position, high.position) = (low.position - 0.07, high.position + 0.07)
        points += sleeve.touch(low, high)
      }
      #expect(points.filter { $0.phase != .moved }.map(\.phase) == [.began])
      #expect(Set(points.suffix(2).map(\.id)) == [1, 3])
    }
  }

  @Test("ends the touch whose finger was lifted, also if it is older", arguments: [0, 1])
  func lifted(_ index: Int) throws {
    for distance in stride(from: 3.0, through: 8, by: 0.5) {
      let sleeve = GeneratedSleeve(seed: 1, noise: 2)
      let fingers = [Finger(position: 2, width: 0.8), Finger(position: 2 + distance, width: 0.8)]
      for _ in 0..<5 { _ = sleeve.touch(fingers) }
      let points = sleeve.touch([fingers[1 - index]])
      #expect(points.map(\.phase) == [.ended, .moved])
      #expect(points.map(\.id) == [UInt32(index + 1), UInt32(2 - index)])
    }
  }

  @Test("keeps a weak touch that could not have begun") func hysteresis() throws {
    let sleeve = GeneratedSleeve(seed: 1)
    for _ in 0..<600 { _ = sleeve.touch() }
    #expect(sleeve.touch(Finger(position: 4, strength: 9)) == [])
    #expect(sleeve.touch(Finger(position: 4, strength: 15)).map(\.phase) == [.began])
    #expect(sleeve.touch(Finger(position: 4, strength: 9)).map(\.phase) == [.moved])
    #expect(sleeve.touch(Finger(position: 4, strength: 4)).map(\.phase) == [.ended])
  }

  @Test("follows what the lines read without a touch, but not while they are touched") func baseline() throws {
    let sleeve = GeneratedSleeve(seed: 1, noise: 2)
    for step in 0..<6000 {
      sleeve.offset = Double(step) / 200
      #expect(sleeve.touch() == [])
    }
    var last: TouchPoint?
    for _ in 0..<6000 {
      let points = sleeve.touch(Finger(position: 5))
      #expect(points.count == 1)
      last = points.first
    }
    #expect(abs(try #require(last).strength - 85) < 10)
  }

  @Test("takes a palm for one touch", arguments: [0.0, 2, 5])
  func palm(_ noise: Double) throws {
    for strength in [60, 100, 150] {
      let sleeve = GeneratedSleeve(seed: 1, noise: noise)
      let palm = (0..<12).map { Finger(position: Double($0), width: 1, strength: Double(strength) / 2.5) }
      _ = sleeve.rest(seconds: 2)
      for _ in 0..<300 {
        let points = sleeve.touch(palm)
        #expect(points.count == 1, "\(points)")
        #expect(points.allSatisfy { $0.width > 512 && abs($0.place - 5.5) < 2 })
      }
    }
  }

  @Test("never has more touches than fit on the lines") func many() throws {
    let sleeve = GeneratedSleeve(seed: 1)
    let fingers = [0, 3.6, 7.3, 11].map { Finger(position: $0, width: 0.7) }
    let points = sleeve.touch(fingers)
    #expect(points.count == 4)
    for (point, finger) in zip(points, fingers) { #expect(abs(point.place - finger.position) < 0.1) }
  }
}
