import ArgumentParser
import CJacquard
import Glibc
import TagSimulator

/// Writes strokes of a simulated person as a recording, faster than real time.
struct StrokesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strokes",
    abstract: "Write strokes of simulated people as a recording, faster than real time.",
    discussion: """
      The output has the format of jacquardctl record: one JSON object per line, with touch samples. A line “stroke” \
      before each stroke has its name, the number of the person and the seed. Equal arguments yield equal output. All \
      of it is invented: no real sleeve has been measured.

      Gestures: \(Stroke.gestures.map(\.rawValue).joined(separator: ", ")).

      Other touches: \(Stroke.others.map(\.rawValue).joined(separator: ", ")); other is any of them.
      """)

  @Argument(help: ArgumentHelp("Names of the strokes, each of which is repeated.", valueName: "stroke"))
  var strokes: [String]

  @Option(help: "Number of the person, whose habits differ from those of others.")
  var person: UInt64 = 1

  @Option(help: "Seed of the first repetition; the next ones have the next numbers.")
  var seed: UInt64 = 1

  @Option(help: "Repetitions of each stroke; default: 1.")
  var count: Int?

  @Option(help: "Instead of a count: repeat for this time on the sleeve.")
  var hours: Double?

  @Option(help: "Mean time between two strokes, in seconds; default: 2, or 15 if all are other touches.")
  var pause: Double?

  private var choices: [[Stroke]] { strokes.compactMap { Stroke.named($0) } }

  func validate() throws {
    for name in strokes where Stroke.named(name) == nil {
      throw ValidationError("‘\(name)’ is not a stroke; known: \(Stroke.names.joined(separator: ", "))".printable)
    }
    guard count == nil || hours == nil else { throw ValidationError("--count and --hours exclude each other") }
    guard count ?? 1 > 0 else { throw ValidationError("--count must be at least 1") }
    // A recording has at most seven days.
    guard hours ?? 1 > 0, hours ?? 1 <= 168 else { throw ValidationError("--hours must be above 0 and at most 168") }
    guard pause ?? 1 >= 0.5, pause ?? 1 <= 3600 else { throw ValidationError("--pause must be from 0.5 to 3600") }
  }

  func run() throws {
    var file = RecordingFile()
    let person = Person(self.person)
    let choices = choices
    let areMeant = !choices.allSatisfy { $0.allSatisfy { Stroke.others.contains($0) } }
    let pause = pause ?? (areMeant ? 2 : 15)
    var (time, number) = (0.0, seed)
    var repetition = 0
    repeating: while count ?? (hours == nil ? 1 : .max) > repetition {
      for choice in choices {
        let begin = time + person.pause(before: number, mean: pause)
        if let hours, begin >= hours * 3600 { break repeating }
        let performed = person.perform(choice, seed: number, now: begin)
        try file.write(performed, at: begin, person: self.person, seed: number)
        time = begin + performed.length
      }
      repetition += 1
      number &+= 1
    }
    try file.end(at: max(time, (hours ?? 0) * 3600))
  }
}

/// A recording on standard output.
private struct RecordingFile {
  private var buffer: [UInt8] = []

  init() {
    let version = "\(JACQUARD_VERSION_MAJOR).\(JACQUARD_VERSION_MINOR).\(JACQUARD_VERSION_PATCH)"
    add("{\"jacquard_recording\": 1, \"library\": \"jacquard-sim \(version)\"}\n")
  }

  mutating func write(_ performed: StrokeSamples, at time: Double, person: UInt64, seed: UInt64) throws {
    add("{\"time\": \(Self.seconds(time)), \"stroke\": {\"name\": \"\(performed.stroke.rawValue)\", ")
    add("\"person\": \(person), \"seed\": \(seed)}}\n")
    for sample in performed.samples {
      let arrival = Self.seconds(Self.arrival(time + sample.time))
      add("{\"time\": \(arrival), \"touch\": {\"sequence\": \(sample.sequence), ")
      add("\"proximity\": \(sample.values[0]), \"lines\": [")
      for (index, value) in sample.values.dropFirst().enumerated() { add(index == 0 ? "\(value)" : ", \(value)") }
      add("]}}\n")
    }
    if buffer.count > 1 << 16 { try flush() }
  }

  mutating func end(at time: Double) throws {
    add("{\"time\": \(Self.seconds(time + 1)), \"end\": \"complete\"}\n")
    try flush()
  }

  /// A sample has no time of its own; it arrives with the next event of the connection, which has one every 15 ms.
  private static func arrival(_ time: Double) -> Double { (time / 0.015).rounded(.up) * 0.015 }

  /// Formats a time as in a recording: microseconds at most.
  private static func seconds(_ time: Double) -> String {
    let microseconds = Int((time * 1e6).rounded())
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
  }

  private mutating func add(_ text: String) { buffer += text.utf8 }

  private mutating func flush() throws {
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        complain("cannot write the recording: \(String(cString: strerror(errno)))")
        throw ExitCode(1)
      }
      rest = rest.dropFirst(count)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
