import JacquardWire
import Motion

extension Target {
  /// A motion file, read as a whole and in pieces, and a motion stream.
  static let sessions = Target(name: "sessions") { input in
    stream(input)
    guard let file = try? MotionFile(input) else { return }
    let samples = file.actions.reduce(0) { $0 + $1.samples.count }
    require(samples * MotionSample.byteCount <= input.count, "more samples than bytes")
    let read = readInPieces(input)
    require(read.samples == samples, "pieces with other samples")
    require(read.ending == file.ending, "pieces with another end")
    if case .damaged = file.ending { return }
    require(file.serialized() == Array(input.dropLast(read.remainder)), "written otherwise than read")
  }

  private static func readInPieces(
    _ input: UnsafeRawBufferPointer
  ) -> (samples: Int, ending: MotionFileReader.Ending?, remainder: Int) {
    var reader = MotionFileReader()
    var samples = 0
    var rest = input[...]
    while !rest.isEmpty {
      let piece = rest.prefix(rest.count % 37 + 1)
      try? reader.read(UnsafeRawBufferPointer(rebasing: piece)) {
        if case .samples(let new) = $0 { samples += new.count }
      }
      rest = rest.dropFirst(piece.count)
    }
    return (samples, try? reader.ending(), reader.remainder)
  }

  /// Values of 61 bytes, at the rate given by the first byte.
  private static func stream(_ input: UnsafeRawBufferPointer) {
    var timeline = StreamTimeline()
    var rest = input[...]
    var arrival: Int64 = 0
    var previous = Int64.min
    while let first = rest.first {
      arrival += Int64(first) * 1_000_000_000
      let value = rest.prefix(61)
      timeline.receive(UnsafeRawBufferPointer(rebasing: value), at: arrival) { event in
        switch event {
        case .restart: previous = .min
        case .gap(let gap): require(gap.missing > 0 && gap.uncertainty >= 0, "a gap of nothing")
        case .sample(let reading):
          require(reading.ticks > previous, "time goes back")
          previous = reading.ticks
        }
      }
      rest = rest.dropFirst(value.count)
    }
  }
}
