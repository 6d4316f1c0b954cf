/// Distributes log messages. The text is only created if a sink is registered for that level.
public final class Log {
  /// The importance of a message, with the numbers of `jacquard_log_level`: `warning` is the most important.
  public enum Level: UInt32, CaseIterable, Comparable, Sendable {
    case warning = 1
    case info = 2
    case debug = 3

    /// Compares the numbers: a sink receives the messages up to its level.
    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// The part of the library that a message comes from.
  public enum Part: String, Sendable {
    case bus, bluez, scan, link, wire, state
  }

  /// A message of one line.
  public struct Line: Sendable {
    public let level: Level
    public let part: Part
    /// The tag that it is about.
    public let tag: TagIdentifier?
    /// Printable, without the tag.
    public let message: String

    /// The message after the tag.
    public var text: String { tag.map { "\($0.text): \(message)" } ?? message }
  }

  public typealias Sink = (Line) -> Void

  private var sinks: [(token: Int, level: Level, sink: Sink)] = []
  private var loudest: Level?
  private var lastToken = 0

  init() {}

  func add(upTo level: Level, _ sink: @escaping Sink) -> () -> Void {
    lastToken += 1
    let token = lastToken
    sinks.append((token, level, sink))
    loudest = sinks.map(\.level).max()
    return { [weak self] in
      guard let self else { return }
      sinks.removeAll { $0.token == token }
      loudest = sinks.map(\.level).max()
    }
  }

  func callAsFunction(
    _ level: Level, _ part: Part, of tag: TagIdentifier? = nil, _ message: @autoclosure () -> String
  ) {
    guard let loudest, level <= loudest else { return }
    let line = Line(level: level, part: part, tag: tag, message: message().printable)
    for entry in sinks where level <= entry.level {
      // A sink may have removed the next one.
      if sinks.contains(where: { $0.token == entry.token }) { entry.sink(line) }
    }
  }
}

/// Distributes messages about one tag.
final class TagLog {
  private let log: Log
  /// Nil while the tag is searched for.
  var tag: TagIdentifier?

  init(_ log: Log, _ tag: TagIdentifier? = nil) { (self.log, self.tag) = (log, tag) }

  func callAsFunction(_ level: Log.Level, _ part: Log.Part, _ message: @autoclosure () -> String) {
    log(level, part, of: tag, message())
  }
}
