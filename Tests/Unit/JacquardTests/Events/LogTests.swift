import Testing
import TestWorld

@testable import Jacquard

@Suite("Log")
struct LogTests {
  private let log = Log()
  private let lines = Recorder<String>()

  private func sink(_ name: String) -> Log.Sink {
    { [lines] in lines.note("\(name) \($0.level) \($0.part.rawValue): \($0.text)") }
  }

  @Test("each sink gets the messages up to its level")
  func levels() {
    _ = log.add(upTo: .warning, sink("w"))
    _ = log.add(upTo: .debug, sink("d"))
    log(.warning, .wire, "dropped")
    log(.info, .link, "lost")
    log(.debug, .bus, "step")
    #expect(
      lines.entries == [
        "w warning wire: dropped", "d warning wire: dropped", "d info link: lost", "d debug bus: step",
      ])
  }

  @Test("a message is one line, whatever untrusted text it contains")
  func printable() {
    _ = log.add(upTo: .debug, sink("d"))
    log(.info, .link, "called \u{1B}[1mx\ny")
    #expect(lines.entries == ["d info link: called \\u{1B}[1mx\\u{A}y"])
  }

  @Test("a message about a tag begins with it")
  func tag() {
    _ = log.add(upTo: .debug, sink("d"))
    TagLog(log, WorldFixture.identifier)(.warning, .wire, "dropped")
    log(.info, .link, of: WorldFixture.identifier, "lost")
    let tag = WorldFixture.identifier.text
    #expect(lines.entries == ["d warning wire: \(tag): dropped", "d info link: \(tag): lost"])
  }

  @Test("a message without a sink is not created")
  func lazy() {
    var made = 0
    func text() -> String {
      made += 1
      return "text"
    }
    log(.warning, .bus, text())
    #expect(made == 0)
    let remove = log.add(upTo: .info, sink("i"))
    log(.debug, .bus, text())
    #expect(made == 0)
    log(.info, .bus, text())
    #expect(made == 1)
    remove()
    log(.warning, .bus, text())
    #expect(made == 1)
  }

  @Test("a removed sink receives nothing more; the others continue")
  func removed() {
    let remove = log.add(upTo: .debug, sink("a"))
    _ = log.add(upTo: .warning, sink("b"))
    remove()
    remove()
    log(.warning, .scan, "x")
    log(.debug, .scan, "y")
    #expect(lines.entries == ["b warning scan: x"])
  }

  @Test("a sink removed inside another one does not receive the current message")
  func removedInside() {
    var remove = {}
    _ = log.add(upTo: .debug) { [lines] in
      lines.note("a \($0.text)")
      remove()
    }
    remove = log.add(upTo: .debug, sink("b"))
    log(.info, .bluez, "x")
    #expect(lines.entries == ["a x"])
  }
}
