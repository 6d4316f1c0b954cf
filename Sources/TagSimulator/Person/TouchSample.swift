/// One sample of the lines, as a tag in touch mode sends it.
public struct TouchSample: Equatable, Sendable {
  /// Samples per second of a tag.
  public static let rate = 60.0

  /// Seconds from the beginning of the stroke.
  public var time: Double
  /// Starts again at 1 with each touch of the sleeve. Lost samples leave gaps.
  public var sequence: UInt32
  /// The proximity, then the twelve lines.
  public var values: [UInt8]
}

/// One performance of a stroke.
public struct StrokeSamples: Sendable {
  public var stroke: Stroke
  /// The samples that were not lost.
  public var samples: [TouchSample]
  /// Seconds until the sleeve is no longer touched.
  public var length: Double
}

extension Person {
  /// The part of samples that are lost alone, and that begin a series of lost ones. Invented.
  private static let loss = 0.015
  private static let series = 0.004
  /// The probability that the next sample of a series of lost ones is lost too.
  private static let seriesGoesOn = 0.6

  /// One performance of a stroke, or of one among several. Each seed yields a different one, always the same.
  ///
  /// - Parameter now: the time in seconds, with which the readings of the garment drift.
  public func perform(_ choice: [Stroke], seed: UInt64, now: Double = 0) -> StrokeSamples {
    var random = RandomNumbers(number, seed, UInt64(choice.count))
    let stroke = choice[random.count(0...choice.count - 1)]
    var hand = Hand(self, RandomNumbers(number, seed, stroke.hash))
    hand.make(stroke)
    let length = hand.contacts.map(\.end).max() ?? 0

    var samples: [TouchSample] = []
    var sequence: UInt32 = 0
    var isInSeries = false
    // The tag's clock has its own phase.
    let phase = random.fraction()
    for index in 0..<Int(length * TouchSample.rate + 1) {
      let time = (Double(index) + phase) / TouchSample.rate
      guard let values = garment.read(hand.contacts, at: time, now: now + time, &random) else {
        // A tag sends nothing while it is not touched.
        sequence = 0
        continue
      }
      sequence += 1
      isInSeries = random.happens(isInSeries ? Self.seriesGoesOn : Self.series)
      if !isInSeries, !random.happens(Self.loss) {
        samples.append(TouchSample(time: time, sequence: sequence, values: values))
      }
    }
    return StrokeSamples(stroke: stroke, samples: samples, length: length)
  }

  /// Seconds until the stroke with this seed: half a second, and a rest that is distributed exponentially.
  public func pause(before seed: UInt64, mean: Double) -> Double {
    var random = RandomNumbers(number, seed, 0x7061_7573_65)
    return 0.5 + (mean - 0.5) * random.exponential()
  }
}

extension Stroke {
  /// FNV-1a of its name: numbers of cases would change with the list.
  fileprivate var hash: UInt64 {
    rawValue.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
