import EventLoop
import Testing
import TestWorld

@Suite("Observers")
struct ObserversTests {
  private let observers = Observers<Int>()
  private let heard = Recorder<String>()

  @Test("an event reaches every handler, in the order in which they were added")
  func order() {
    for name in ["a", "b", "c"] { observers.add { [heard] in heard.note("\(name)\($0)") } }
    observers.send(1)
    #expect(heard.entries == ["a1", "b1", "c1"])
  }

  @Test("a cancelled handler receives nothing more, even if cancelled twice")
  func cancelled() {
    let first = observers.add { [heard] in heard.note("a\($0)") }
    observers.add { [heard] in heard.note("b\($0)") }
    first.cancel()
    first.cancel()
    observers.send(1)
    #expect(heard.entries == ["b1"])
  }

  @Test("a handler added inside a handler receives the next event, not the current one")
  func addedInside() {
    var added = false
    observers.add { [observers, heard] event in
      heard.note("a\(event)")
      guard !added else { return }
      added = true
      observers.add { heard.note("b\($0)") }
    }
    observers.send(1)
    #expect(heard.entries == ["a1"])
    observers.send(2)
    #expect(heard.entries == ["a1", "a2", "b2"])
  }

  @Test("a handler that cancels itself runs to its end, and only once")
  func cancelsItself() {
    var observation: Observers<Int>.Observation?
    observation = observers.add { [heard] in
      observation?.cancel()
      heard.note("a\($0)")
    }
    observers.send(1)
    observers.send(2)
    #expect(heard.entries == ["a1"])
  }

  @Test("a handler that cancels a later one prevents it from receiving the current event")
  func cancelsLater() {
    var later: Observers<Int>.Observation?
    observers.add { [heard] in
      heard.note("a\($0)")
      later?.cancel()
    }
    later = observers.add { [heard] in heard.note("b\($0)") }
    observers.send(1)
    #expect(heard.entries == ["a1"])
  }

  @Test("removing all handlers inside a handler prevents the others from receiving the current event")
  func removesAllInside() {
    observers.add { [observers, heard] in
      heard.note("a\($0)")
      observers.removeAll()
    }
    observers.add { [heard] in heard.note("b\($0)") }
    observers.send(1)
    observers.send(2)
    #expect(heard.entries == ["a1"])
    #expect(observers.isEmpty)
  }

  @Test("an event sent inside a handler is delivered immediately")
  func nested() {
    observers.add { [observers, heard] in
      heard.note("a\($0)")
      if $0 == 1 { observers.send(2) }
    }
    observers.add { [heard] in heard.note("b\($0)") }
    observers.send(1)
    #expect(heard.entries == ["a1", "a2", "b2", "b1"])
  }

  @Test("objects held by a cancelled handler are released immediately")
  func releases() {
    weak var held: Recorder<Int>?
    let observation: Observers<Int>.Observation
    do {
      let record = Recorder<Int>()
      held = record
      observation = observers.add { record.note($0) }
    }
    #expect(held != nil)
    observation.cancel()
    #expect(held == nil)
  }
}

@Suite("Waiting until a condition holds")
struct ObserversUntilTests {
  private let observers = Observers<Int>()
  private let time = VirtualClock()
  private let loop: EventLoop

  init() throws { loop = try EventLoop(clock: .virtual(time)) }

  private enum Refusal: CancellableError { case unwanted, cancelled }

  /// The result of the wait; nil while it is pending.
  private func wait(_ condition: @escaping () throws(Refusal) -> String?) -> (Recorder<String>, Task<Void, Never>) {
    let outcome = Recorder<String>()
    let task = loop.spawn { [observers] in
      do throws(Refusal) { outcome.note(try await observers.until(condition)) } catch { outcome.note("\(error)") }
    }
    settle()
    return (outcome, task)
  }

  private func settle() { time.advance(by: .zero) }

  @Test("ends without an event if the condition already holds")
  func already() {
    let (outcome, _) = wait { "yes" }
    #expect(outcome.entries == ["yes"])
    #expect(observers.isEmpty)
  }

  @Test("ends with the first event after which the condition holds, even if it does not hold later")
  func firstEvent() {
    var value: String?
    let (outcome, _) = wait { value }
    observers.send(1)
    settle()
    #expect(outcome.entries == [])
    value = "yes"
    observers.send(2)
    value = nil
    observers.send(3)
    settle()
    #expect(outcome.entries == ["yes"])
    #expect(observers.isEmpty)
  }

  @Test("ends with the condition's error")
  func failure() {
    var broken = false
    let (outcome, _) = wait { () throws(Refusal) in if broken { throw .unwanted } else { nil } }
    broken = true
    observers.send(1)
    settle()
    #expect(outcome.entries == ["unwanted"])
    #expect(observers.isEmpty)
  }

  @Test("ends when its task is cancelled")
  func cancelled() {
    let (outcome, task) = wait { nil }
    #expect(!observers.isEmpty)
    task.cancel()
    settle()
    #expect(outcome.entries == ["cancelled"])
    #expect(observers.isEmpty)
  }
}
