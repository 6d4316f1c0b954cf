import EventLoop
import Glibc
import Testing
import TestWorld

@Suite("Watched descriptors")
struct WatchTests {
  @Test("are reported while ready, and not when drained")
  func readable() throws {
    let loop = try EventLoop()
    let (read, write) = try makePipe()
    let record = Recorder<IOReadiness>()
    let watch = try loop.watch(read.rawValue, for: .readable) { record.note($0) }
    try loop.dispatch()
    #expect(record.entries.isEmpty)
    Glibc.write(write.rawValue, "x", 1)
    try loop.dispatch()
    try loop.dispatch()
    #expect(record.entries == [.readable, .readable])
    write.close()
    var byte: UInt8 = 0
    Glibc.read(read.rawValue, &byte, 1)
    try loop.dispatch()
    #expect(record.entries.last == .hangup)
    watch.cancel()
    #expect(!isReadable(loop))
  }

  @Test("that may be presumed ready are read without a wait, if nothing else can have woken the loop")
  func presumed() throws {
    let loop = try EventLoop()
    let pipe = try makePipe()
    let record = Recorder<IOReadiness>()
    let watch = try loop.watch(pipe.read.rawValue, for: .readable, canPresume: true) { record.note($0) }
    try loop.dispatch()
    #expect(record.entries == [.readable])

    loop.post {}
    try loop.dispatch()
    var hasFired = false
    loop.schedule(after: .zero) { hasFired = true }
    try dispatch(loop) { hasFired }
    #expect(record.entries.count == 1)

    let other = try makePipe()
    let otherRecord = Recorder<IOReadiness>()
    let otherWatch = try loop.watch(other.read.rawValue, for: .readable) { otherRecord.note($0) }
    Glibc.write(other.write.rawValue, "x", 1)
    try loop.dispatch()
    #expect(record.entries.count == 1)
    #expect(otherRecord.entries == [.readable])
    otherWatch.cancel()

    try watch.modify([])
    try loop.dispatch()
    #expect(record.entries.count == 1)
    try watch.modify(.readable)
    try loop.dispatch()
    #expect(record.entries == [.readable, .readable])
  }

  @Test("follow a changed interest")
  func modify() throws {
    let loop = try EventLoop()
    let (read, write) = try makePipe()
    let record = Recorder<IOReadiness>()
    let watch = try loop.watch(write.rawValue, for: []) { record.note($0) }
    try loop.dispatch()
    #expect(record.entries.isEmpty)
    try watch.modify(.writable)
    try loop.dispatch()
    #expect(record.entries == [.writable])
    try watch.modify([])
    try loop.dispatch()
    #expect(record.entries == [.writable])
    read.close()
    try loop.dispatch()
    #expect(record.entries == [.writable, .error])
    // The error is not repeated: otherwise the loop would not rest until the handler cancels the watch.
    try loop.dispatch()
    #expect(record.entries == [.writable, .error])
    try watch.modify(.writable)
    for _ in 0..<2 { try loop.dispatch() }
    #expect(record.entries.count == 4)
  }

  @Test("are not reported after they are cancelled, even for readiness of the same dispatch")
  func cancelInBatch() throws {
    let loop = try EventLoop()
    let pipes = try (0..<2).map { _ in try makePipe() }
    let record = Recorder<Int>()
    var watches: [IOWatch] = []
    for (index, pipe) in pipes.enumerated() {
      watches.append(
        try loop.watch(pipe.read.rawValue, for: .readable) { _ in
          record.note(index)
          for watch in watches { watch.cancel() }
        })
      Glibc.write(pipe.write.rawValue, "x", 1)
    }
    try loop.dispatch()
    try loop.dispatch()
    #expect(record.entries.count == 1)
  }

  @Test("stale readiness does not reach a new watch in the slot of a cancelled one")
  func reuseInBatch() throws {
    let loop = try EventLoop()
    let pipes = try (0..<2).map { _ in try makePipe() }
    let quiet = try makePipe()
    let record = Recorder<String>()
    var watches: [IOWatch] = []
    for pipe in pipes {
      watches.append(
        try loop.watch(pipe.read.rawValue, for: .readable) { _ in
          record.note("first")
          for watch in watches { watch.cancel() }
          watches =
            (try? loop.watch(quiet.read.rawValue, for: .readable) { _ in record.note("stale") }).map { [$0] } ?? []
        })
      Glibc.write(pipe.write.rawValue, "x", 1)
    }
    try loop.dispatch()
    #expect(record.entries == ["first"])
    #expect(watches.count == 1)
  }

  @Test("a descriptor that cannot be watched is an error, not a trap")
  func refused() throws {
    let loop = try EventLoop()
    #expect(throws: SystemError(code: EBADF, call: "epoll_ctl")) { _ = try loop.watch(-1, for: .readable) { _ in } }
    let (read, _) = try makePipe()
    let watch = try loop.watch(read.rawValue, for: .readable) { _ in }
    #expect(throws: SystemError(code: EEXIST, call: "epoll_ctl")) {
      _ = try loop.watch(read.rawValue, for: .readable) { _ in }
    }
    watch.cancel()
    watch.cancel()
    try loop.watch(read.rawValue, for: .readable) { _ in }.cancel()
  }
}
