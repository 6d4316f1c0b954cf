import EventLoop
import Glibc
import Testing
import TestWorld

@testable import TagStore

extension StateFileTests {
  // MARK: Failures

  @Test(
    "an invalid file is set aside with a warning, and the state starts empty",
    arguments: [
      "", "{", "null", "[]", "7", "\"text\"", "{\"version\":1,\"tags\":[{}", "{\"version\":\"one\"}",
      "{\"version\":-1}", "{\"tags\":{}}", "{\"tags\":[7]}", "\u{0}\u{0}\u{0}\u{0}", "{\"version\":1}{\"version\":1}",
      String(repeating: "[", count: 100_000), "{\"moods\":" + String(repeating: "[", count: 100_000),
      "{\"moods\":" + String(repeating: "{\"a\":", count: 100_000),
      "{\"version\":1,\"tags\":[{\"boundAt\":\"99999999999999999999\"}]}",
    ])
  func garbage(_ text: String) throws {
    place.write(text)
    let file = place.open()
    #expect(fault { try file.read() } != nil)
    #expect(place.text() == text)
    #expect(place.warnings == [])
    try add("one", to: file)
    #expect(try file.read().tags.map(\.identifier) == ["one"])
    #expect(place.text(place.file + ".corrupt-1") == text)
    #expect(place.warnings.count == 1)
  }

  @Test("each invalid file is kept, with a number")
  func numberedCopies() throws {
    for number in 1...12 {
      place.write("{ \(number)")
      try add("one", to: place.open())
    }
    for number in 1...12 { #expect(place.text(place.file + ".corrupt-\(number)") == "{ \(number)") }
  }

  @Test("only a change that stores a tag sets an invalid file aside")
  func unimportantChange() throws {
    place.write("{")
    #expect(fault { try place.run { try await place.open().change { $0.tags = [] } } } != nil)
    #expect(place.text() == "{" && place.names() == ["state.json", "state.lock"])
  }

  @Test("a file with invalid bytes at any position is set aside")
  func garbageBytes() throws {
    let good = Array(#"{"version":1,"tags":[{"identifier":"one","owner":"me"}]}"#.utf8)
    for index in good.indices {
      for byte: UInt8 in [0, 0x80, 0xff] {
        var bytes = good
        bytes[index] = byte
        place.write(bytes)
        // Reading must not crash, however the file is interpreted.
        _ = try? place.open().read()
      }
    }
    place.write([0xff, 0xfe] + good)
    try add("one", to: place.open())
    #expect(place.warnings.count == 1)
  }

  @Test("a file that is too large is set aside, and read only up to the limit")
  func tooLarge() throws {
    place.makeDirectory()
    let descriptor = SharedDescriptor(taking: Glibc.open(place.file, O_WRONLY | O_CREAT, 0o600))
    #expect(ftruncate(descriptor.rawValue, 100 << 20) == 0)
    #expect(fault { try place.open().read() } == .corrupt(path: place.file, "the file is too large"))
    try add("one", to: place.open())
    #expect(place.names() == ["state.json", "state.json.corrupt-1", "state.lock"])
  }

  @Test("the file never becomes too large")
  func growth() throws {
    let file = place.open()
    let long = String(repeating: "x", count: 400_000)
    try add(long + "1", to: file)
    try add(long + "2", to: file)
    #expect(fault { try add(long + "3", to: file) } == .full(path: place.file))
    #expect(try file.read().tags.count == 2)
  }

  @Test(
    "a file of a newer version is neither read nor changed",
    arguments: [
      #"{"version":2}"#, #"{"version":2,"moods":["good"]}"#,
      #"{"version":1,"tags":[{"identifier":"x","colour":"red"}]}"#,
    ])
  func newer(_ text: String) throws {
    place.write(text)
    let file = place.open()
    #expect(fault { try file.read() } == .newer(path: place.file))
    #expect(fault { try add("one", to: file) } == .newer(path: place.file))
    #expect(place.text() == text)
    #expect(place.warnings == [])
  }

  @Test("a directory or a pipe instead of the file is an error")
  func notAFile() throws {
    place.makeDirectory()
    mkdir(place.file, 0o700)
    #expect(fault { try place.open().read() } == .notAFile(path: place.file))
    #expect(fault { try add("one", to: place.open()) } == .notAFile(path: place.file))
    rmdir(place.file)
    mkfifo(place.file, 0o600)
    #expect(fault { try place.open().read() } == .notAFile(path: place.file))
  }

  @Test("a file instead of the directory is an error")
  func notADirectory() throws {
    place.write("", to: place.path + "/file")
    for path in ["/file", "/file/deeper"] {
      let file = place.open(place.path + path)
      #expect(fault { try file.read() }?.code == ENOTDIR)
      #expect(fault { try add("one", to: file) }?.code == ENOTDIR)
    }
  }

  @Test("a directory instead of the new file is an error, and the old file stays")
  func newFileBlocked() throws {
    let file = place.open()
    try add("one", to: file)
    mkdir(place.file + ".new", 0o700)
    #expect(fault { try add("two", to: file) }?.code == EISDIR)
    #expect(try file.read().tags.map(\.identifier) == ["one"])
  }

  @Test("a partial file left by a crash is overwritten")
  func leftOver() throws {
    place.write(#"{"version":1,"ta"#, to: place.file + ".new")
    try add("one", to: place.open())
    #expect(place.names() == ["state.json", "state.lock"])
  }

  @Test("symbolic links planted by others are not followed")
  func link() throws {
    place.write("precious", to: place.path + "/precious")
    place.makeDirectory()
    symlink(place.path + "/precious", place.file + ".new")
    #expect(fault { try add("one", to: place.open()) }?.code == ELOOP)
    #expect(place.text(place.path + "/precious") == "precious")
  }

  @Test(
    "a file system that refuses writes is an error with the system's text",
    arguments: ["/proc/jacquard", "/sys/jacquard"])
  func readOnly(_ path: String) throws {
    let file = place.open(path)
    #expect(try file.read() == StoredState())
    let fault = try #require(fault { try add("one", to: file) })
    #expect([ENOENT, EPERM, EACCES, EROFS].contains(fault.code))
    #expect(fault.message.hasPrefix(path + ": "))
  }

  @Test("a full disk keeps the old file")
  func diskFull() throws {
    let file = place.open()
    try add("one", to: file)
    let limit = 16
    // The kernel refuses writes beyond this size during one change.
    var saved = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &saved)
    var small = rlimit(rlim_cur: rlim_t(limit), rlim_max: saved.rlim_max)
    let handler = signal(SIGXFSZ, SIG_IGN)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
    let seen = fault { try add("two", to: file) }
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &saved)
    signal(SIGXFSZ, handler)
    #expect(seen?.code == EFBIG)
    #expect(try file.read().tags.map(\.identifier) == ["one"])
    #expect(place.names() == ["state.json", "state.lock"])
  }
}
