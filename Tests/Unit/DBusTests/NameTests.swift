import DBus
import EventLoop
import Testing
import TestWorld

@Suite("Names on the bus")
struct NameTests {
  let fixture: BusFixture
  init() throws { fixture = try BusFixture() }

  @Test("have one owner at a time")
  func request() async throws {
    try await fixture.run { [fixture] in
      let first = try await fixture.connect()
      let second = try await fixture.connect()
      #expect(try await first.owner(of: "org.example.Name") == nil)
      #expect(try await first.requestName("org.example.Name", allowReplacement: true) == .primaryOwner)
      #expect(try await first.requestName("org.example.Name", allowReplacement: true) == .alreadyOwner)
      #expect(try await second.requestName("org.example.Name") == .taken)
      #expect(try await second.owner(of: "org.example.Name") == first.uniqueName)
      #expect(try await second.requestName("org.example.Name", replaceExisting: true) == .primaryOwner)
      try await second.releaseName("org.example.Name")
      #expect(try await first.owner(of: "org.example.Name") == nil)
      #expect(try await first.owner(of: second.uniqueName ?? "") == second.uniqueName)
      first.close()
      second.close()
    }
  }

  @Test("report the current owner first, then each change, to every watcher")
  func watch() async throws {
    try await fixture.run { [fixture] in
      let service = try await fixture.connect()
      let watcher = try await fixture.connect()
      let first = Recorder<String?>()
      let second = Recorder<String?>()
      let watch = try await watcher.watchName("org.example.Name") { first.note($0) }
      #expect(first.entries == [nil])
      try await service.requestName("org.example.Name")
      try await SignalTests.settle(service, watcher)
      let other = try await watcher.watchName("org.example.Name") { second.note($0) }
      #expect(second.entries == [service.uniqueName])
      try await service.releaseName("org.example.Name")
      try await SignalTests.settle(service, watcher)
      watch.cancel()
      try await service.requestName("org.example.Name")
      try await SignalTests.settle(service, watcher)
      #expect(first.entries == [nil, service.uniqueName, nil])
      #expect(second.entries == [service.uniqueName, nil, service.uniqueName])
      other.cancel()
      service.close()
      watcher.close()
    }
  }

  @Test("that change their owner while the watch begins are reported without a gap", arguments: 0..<20)
  func race(_ round: Int) async throws {
    try await fixture.run { [fixture] in
      let service = try await fixture.connect()
      let watcher = try await fixture.connect()
      let record = Recorder<String?>()
      let changing = service.loop.spawn(returning: {
        for _ in 0..<5 {
          try await service.requestName("org.example.Name")
          try await service.releaseName("org.example.Name")
        }
        try await service.requestName("org.example.Name")
      })
      for _ in 0..<round { await Task.yield() }
      let watch = try await watcher.watchName("org.example.Name") { record.note($0) }
      try await changing.value
      try await SignalTests.settle(service, watcher)
      #expect(record.entries.last == service.uniqueName)
      for (previous, next) in zip(record.entries, record.entries.dropFirst()) { #expect(previous != next) }
      watch.cancel()
      service.close()
      watcher.close()
    }
  }

  @Test("watched by many changing watchers are reported once to each of them")
  func manyWatchers() async throws {
    try await fixture.run { [fixture] in
      let watcher = try await fixture.connect()
      let record = Recorder<Int>()
      let tasks = (0..<10).map { number in
        watcher.loop.spawn(returning: { try await watcher.watchName("org.example.Name") { _ in record.note(number) } })
      }
      await Task.yield()
      for number in stride(from: 1, to: 10, by: 2) { tasks[number].cancel() }
      for (number, task) in tasks.enumerated() {
        if number % 2 == 0 {
          try await task.value.cancel()
        } else {
          await #expect(throws: BusError.cancelled) { try await task.value }
        }
      }
      #expect(Set(record.entries).isSuperset(of: [0, 2, 4, 6, 8]))
      #expect(record.entries.count == Set(record.entries).count)
      watcher.close()
    }
  }

  @Test("that disappear with their owner's connection are reported too")
  func ownerDies() async throws {
    try await fixture.run { [fixture] in
      let service = try await fixture.connect()
      let watcher = try await fixture.connect()
      try await service.requestName("org.example.Name")
      let gone = Completion<Void, CancellationError>()
      let watch = try await watcher.watchName("org.example.Name") { if $0 == nil { gone.succeed(()) } }
      service.close()
      try await gone.value()
      watch.cancel()
      watcher.close()
    }
  }
}
