import EventLoop
import Glibc
import TestWorld
import Testing

@testable import TagStore

/// A separate directory for each test, and a loop with virtual time.
final class StateFileFixture {
  private let scratch: ScratchDirectory
  let time = VirtualClock()
  let loop: EventLoop
  private(set) var warnings: [String] = []

  init() throws {
    scratch = try ScratchDirectory()
    loop = try EventLoop(clock: .virtual(time))
  }

  deinit {
    loop.close()
    loop.drain()
  }

  var path: String { scratch.path }
  var directory: String { path + "/state" }
  var file: String { directory + "/state.json" }

  func open(_ directory: String? = nil) -> StateFile {
    StateFile(loop, StateDirectory(chosen: directory ?? self.directory)) { [weak self] in self?.warnings.append($0) }
  }

  func makeDirectory() { mkdir(directory, 0o700) }

  func write(_ bytes: [UInt8], to path: String? = nil) {
    makeDirectory()
    let descriptor = SharedDescriptor(taking: Glibc.open(path ?? file, O_WRONLY | O_CREAT | O_TRUNC, 0o600))
    bytes.withUnsafeBytes { _ = Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
  }

  func write(_ text: String, to path: String? = nil) { write(Array(text.utf8), to: path) }

  func text(_ path: String? = nil) -> String? {
    (try? FileContents.read(path ?? file, atMost: .max)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
  }

  func names(_ directory: String? = nil) -> [String] { ScratchDirectory.names(in: directory ?? self.directory) }

  func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// Runs a task to its end; time advances when nothing else is pending.
  func run<Value>(_ body: @escaping () async throws -> Value) throws -> Value {
    var result: Result<Value, any Error>?
    loop.spawn {
      do { result = .success(try await body()) } catch { result = .failure(error) }
    }
    while true {
      try loop.dispatch()
      if let result { return try result.get() }
      if let next = loop.nextDeadline { time.advance(by: max(time.now.duration(to: next), .zero)) }
    }
  }
}

@Suite("The state file")
struct StateFileTests {
  let place: StateFileFixture

  init() throws { place = try StateFileFixture() }

  func add(_ identifier: String, to file: StateFile) throws {
    try place.run {
      try await file.change(replacesCorrupt: true) { $0.tags.append(.with { $0.identifier = identifier }) }
    }
  }

  func fault(_ body: () throws -> some Any) -> StateError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? StateError
    }
  }

  // MARK: Normal use

  @Test("is an empty state if missing, and reading creates nothing")
  func missing() throws {
    #expect(try place.open().read() == StoredState())
    #expect(place.names(place.path) == [])
  }

  @Test("keeps the state for the next process")
  func keeps() throws {
    try add("one", to: place.open())
    try add("two", to: place.open())
    let state = try place.open().read()
    #expect(state.tags.map(\.identifier) == ["one", "two"])
    #expect(state.version == 1)
    #expect(place.text() == #"{"version":1,"tags":[{"identifier":"one"},{"identifier":"two"}]}"#)
  }

  @Test("of version 0.1.0 is read, and written as the same bytes")
  func earlierVersion() throws {
    let bytes = try DataFile.bytes("state-0.1.0.json")
    place.write(bytes)
    let state = try place.open().read()
    #expect(state.version == 1)
    #expect(state.tags.map(\.serial) == ["0000AAAAA001ZK", "0000AAAAA0T001"])
    #expect(state.tags.map(\.address) == ["C0:1A:DA:00:00:00", "C0:1A:DA:00:00:01"])
    #expect(state.tags.map(\.owner) == ["Zoë \"Q\" 😀", "a\\b\tc/é"])
    #expect(state.tags.map(\.boundAt) == [1_795_301_851, 1_795_301_943])
    #expect(state.tags.last?.profile.map(\.value) == ["C:\\x", "a\nb"])
    #expect(state.restorations.map(\.restoreID) == ["home assistant"])
    #expect(state.restorations.first?.identifiers == ["ae7dc88c-1437-5d1e-a862-ce1037371c9a"])
    #expect(state.jsonUTF8Bytes() == bytes)
  }

  @Test("and its directory are accessible to this user only, and no other files remain")
  func permissions() throws {
    let file = place.open(place.path + "/a/b/c")
    try add("one", to: file)
    for directory in ["/a", "/a/b", "/a/b/c"] { #expect(place.mode(place.path + directory) == 0o700) }
    #expect(place.names(place.path + "/a/b/c") == ["state.json", "state.lock"])
    #expect(place.mode(place.path + "/a/b/c/state.json") == 0o600)
  }

  @Test("is not written if nothing has changed")
  func unchanged() throws {
    let file = place.open()
    try place.run { try await file.change { _ in } }
    #expect(place.text() == nil)
  }

  @Test("is in $XDG_STATE_HOME, else below $HOME, else nowhere")
  func places() {
    let saved = ["XDG_STATE_HOME", "HOME"].map { (name: String) in (name, getenv(name).map { String(cString: $0) }) }
    defer { for (name, value) in saved { if let value { setenv(name, value, 1) } else { unsetenv(name) } } }
    setenv("XDG_STATE_HOME", "/xdg", 1)
    setenv("HOME", "/home/me", 1)
    #expect(StateDirectory(chosen: nil)?.path == "/xdg/jacquard")
    #expect(StateDirectory(chosen: "/mine")?.path == "/mine")
    setenv("XDG_STATE_HOME", "relative", 1)
    #expect(StateDirectory(chosen: nil)?.path == "/home/me/.local/state/jacquard")
    for value in ["", "relative"] {
      setenv("HOME", value, 1)
      #expect(StateDirectory(chosen: nil) == nil)
    }
    unsetenv("HOME")
    #expect(StateDirectory(chosen: nil) == nil)
  }

  @Test("without a directory no tag is known, and nothing can be stored")
  func noPlace() throws {
    let file = StateFile(place.loop, nil) { _ in }
    #expect(try file.read() == StoredState())
    #expect(fault { try add("one", to: file) } == .noPlace)
  }

  // MARK: Concurrent changes

  @Test("a hundred concurrent changes are all made, in order")
  func manyChanges() throws {
    let files = [place.open(), place.open()]
    var done = 0
    for number in 0..<100 {
      place.loop.spawn {
        try? await files[number % 2].change { $0.tags.append(.with { $0.identifier = "\(number)" }) }
        done += 1
      }
    }
    while done < 100 { try place.loop.dispatch() }
    let numbers = try place.open().read().tags.compactMap { Int($0.identifier) }
    #expect(numbers.count == 100)
    #expect(numbers.filter { $0 % 2 == 0 } == stride(from: 0, to: 100, by: 2).map { $0 })
    #expect(numbers.filter { $0 % 2 == 1 } == stride(from: 1, to: 100, by: 2).map { $0 })
  }

  @Test("changes wait for the lock and keep their order")
  func lockHeld() throws {
    let file = place.open()
    try add("first", to: file)
    let lock = try StateLock(place.directory + "/state.lock")
    var done: [String] = []
    for identifier in ["second", "third"] {
      place.loop.spawn {
        try? await file.change { $0.tags.append(.with { $0.identifier = identifier }) }
        done.append(identifier)
      }
    }
    for _ in 0..<10 {
      try place.loop.dispatch()
      place.time.advance(by: .milliseconds(100))
    }
    #expect(done == [])
    lock.release()
    while done.count < 2 {
      place.time.advance(by: .milliseconds(20))
      try place.loop.dispatch()
    }
    #expect(done == ["second", "third"])
    #expect(try file.read().tags.map(\.identifier) == ["first", "second", "third"])
  }

  @Test("a stopped process that holds the lock causes an error after five seconds")
  func lockNeverReleased() throws {
    place.makeDirectory()
    let lock = try StateLock(place.directory + "/state.lock")
    let file = place.open()
    let start = place.time.now
    #expect(fault { try add("one", to: file) } == .locked(path: place.directory + "/state.lock"))
    #expect(start.duration(to: place.time.now) >= .seconds(5))
    #expect(start.duration(to: place.time.now) < .seconds(6))
    #expect(fault { try file.changeNow { $0.version = 7 } } == .locked(path: place.directory + "/state.lock"))
    #expect(try file.read() == StoredState())
    lock.release()
  }

  @Test("the loop can end while a change waits for the lock")
  func loopEnds() throws {
    place.makeDirectory()
    let lock = try StateLock(place.directory + "/state.lock")
    let file = place.open()
    var ended = false
    place.loop.spawn {
      _ = try? await file.change { $0.version = 7 }
      ended = true
    }
    try place.loop.dispatch()
    place.loop.close()
    place.loop.drain()
    #expect(ended)
    lock.release()
  }
}
