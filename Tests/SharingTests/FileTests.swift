import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

@Suite("The files of sharing")
struct FileTests {
  private func write(_ bytes: [UInt8], _ path: String, at offset: Int = 0, truncate: Bool = false) {
    let file = OwnedDescriptor(taking: open(path, O_RDWR | O_CREAT | (truncate ? O_TRUNC : 0), 0o600))
    #expect(pwrite(file.rawValue, bytes, bytes.count, off_t(offset)) == bytes.count)
  }

  private func read(_ path: String) -> [UInt8] {
    let file = OwnedDescriptor(taking: open(path, O_RDONLY))
    var bytes = [UInt8](repeating: 0, count: 8192)
    return Array(bytes.prefix(max(pread(file.rawValue, &bytes, bytes.count, 0), 0)))
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test("belong to the user only, and are not cleaned up")
  func modes() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    #expect(mode(fixture.directory.path) == 0o700)
    for name in ScratchDirectory.names(in: fixture.directory.path) {
      #expect(mode(fixture.directory.path + "/" + name) == 0o1600, "\(name)")
    }
    withExtendedLifetime(host) {}
  }

  @Test("a lock file may be truncated while there is a host")
  func truncated() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    truncate(fixture.lockFile, 0)
    #expect(try fixture.place().currentHost() == 0)
    let guest = try fixture.guest()
    #expect(host.seat.announce(lastID: 3, isWriting: true))
    #expect(try fixture.place().currentHost() == getpid())
    truncate(fixture.lockFile, 10)
    let successor = try fixture.silentHost(past: 1)
    #expect(successor.epoch == 2)
    #expect(successor.predecessor?.wasWriting == true)
    try fixture.settle()
    #expect(guest.ends == [.superseded])
    #expect(host.seat.isSuperseded)
  }

  @Test("a damaged record may hide a packet that was being written", arguments: [0, 4, 9, 17, 20, 28])
  func damaged(_ offset: Int) throws {
    let fixture = try SharingFixture()
    let first = try fixture.host()
    first.seat.announce(lastID: 9, isWriting: false)
    first.seat.leave()
    let slot = HostRecord.offset(1)
    write([read(fixture.lockFile)[slot + offset] ^ 0x40], fixture.lockFile, at: slot + offset)
    let second = try fixture.silentHost()
    #expect(second.predecessor?.wasWriting == true)
    #expect(second.predecessor?.lastID == 0)
    #expect(second.announce(lastID: 10, isWriting: false))
    second.leave()
    #expect(try fixture.silentHost().predecessor?.wasWriting == false)
  }

  @Test("garbage beside the records is removed")
  func beside() throws {
    let fixture = try SharingFixture()
    try fixture.host().seat.leave()
    write([1, 2, 3], fixture.lockFile, at: HostRecord.offset(40))
    let second = try fixture.silentHost()
    #expect(second.predecessor?.wasWriting == true)
    second.announce(lastID: 1, isWriting: false)
    second.leave()
    #expect(try fixture.silentHost().predecessor?.wasWriting == false)
  }

  @Test("garbage does no harm")
  func garbage() throws {
    let fixture = try SharingFixture()
    let first = try fixture.host()
    first.seat.leave()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      write((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }, fixture.lockFile, truncate: true)
      let host = try fixture.host()
      #expect(host.seat.predecessor?.wasWriting == true)
      _ = try fixture.guest()
      host.seat.leave()
    }
  }

  @Test("records in the wrong slot, of no epoch, or of impossible ones are not believed")
  func impossible() throws {
    for epoch in [0, 1 << 62 + 1, .max] as [UInt64] {
      let fixture = try SharingFixture()
      try fixture.host().seat.leave()
      var bytes = [UInt8](repeating: 0, count: HostRecord.size)
      bytes.withUnsafeMutableBytes { HostRecord(epoch: epoch, process: 1).write(to: $0) }
      write(bytes, fixture.lockFile, at: HostRecord.offset(epoch))
      write(bytes, fixture.lockFile, at: HostRecord.offset(epoch &+ 9))
      #expect(try fixture.host().seat.epoch <= 2)
    }
    let fixture = try SharingFixture()
    try fixture.host().seat.leave()
    var bytes = [UInt8](repeating: 0, count: HostRecord.size)
    bytes.withUnsafeMutableBytes { HostRecord(epoch: 1 << 62, process: 1).write(to: $0) }
    write(bytes, fixture.lockFile, at: HostRecord.offset(1 << 62))
    #expect(throws: SharingError.system(code: EOVERFLOW, call: "fcntl")) { try fixture.host() }
  }

  @Test("a record of a later epoch in the wrong slot replaces no host")
  func misplaced() throws {
    let fixture = try SharingFixture()
    var bytes = [UInt8](repeating: 0, count: HostRecord.size)
    bytes.withUnsafeMutableBytes { HostRecord(epoch: 64, process: 1).write(to: $0) }
    let offset = HostRecord.offset(64) + HostRecord.size
    write(bytes, fixture.lockFile, at: offset)
    let host = try fixture.host()
    write(bytes, fixture.lockFile, at: offset)
    #expect(host.seat.announce(lastID: 3, isWriting: true))
    #expect(!host.seat.isSuperseded)
  }

  @Test("a record of a newer version is reported as another version")
  func newer() throws {
    let fixture = try SharingFixture()
    try fixture.host().seat.leave()
    write([UInt8(ascii: "J"), UInt8(ascii: "Q"), UInt8(ascii: "S"), 2], fixture.lockFile, at: HostRecord.size * 5)
    #expect(throws: SharingError.refused(.version, by: 0)) { try fixture.host() }
  }

  @Test("locks of other programs do no harm", arguments: [(0, 0), (4096, 1 << 40), (4097, 1), (5000, 0)])
  func foreignLocks(_ start: Int, _ count: Int) throws {
    let fixture = try SharingFixture()
    try fixture.host().seat.leave()
    let file = OwnedDescriptor(taking: open(fixture.lockFile, O_RDWR | O_CLOEXEC))
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_start = start
    lock.l_len = count
    #expect(fcntl(file.rawValue, 37, &lock) == 0)
    // The locks of all epochs cannot be taken then.
    switch Result(catching: { try fixture.host() }) {
    case .success(let host): #expect(host.seat.epoch > 1)
    case .failure(let error): #expect(error as? SharingError == .system(code: EOVERFLOW, call: "fcntl"))
    }
  }

  @Test("links, directories and files of other modes are refused")
  func foreignFiles() throws {
    for end in [".lock", ".bell"] {
      for kind in 0..<4 {
        let fixture = try SharingFixture()
        try fixture.host().seat.leave()
        let path = fixture.path(end)
        if kind < 3 { unlink(path) }
        switch kind {
        case 0: symlink(fixture.scratch.path + "/elsewhere", path)
        case 1: mkdir(path, 0o700)
        case 2 where end == ".lock": mkfifo(path, 0o600)
        case 2: write([1], path)
        default: chmod(path, 0o644)
        }
        #expect(throws: SharingError.self, "\(end) \(kind)") { try fixture.host() }
        #expect(access(fixture.scratch.path + "/elsewhere", F_OK) != 0)
      }
    }
  }

  @Test("a socket left over by a host that was killed is replaced")
  func leftover() throws {
    let fixture = try SharingFixture()
    try fixture.host().seat.leave()
    let name = ScratchDirectory.names(in: fixture.directory.path).first { $0.hasSuffix(".lock") } ?? ""
    let path = fixture.directory.path + "/" + name.dropLast(5) + ".2.sock"
    write([1], path)
    let host = try fixture.host()
    _ = try fixture.guest()
    #expect(host.guests.count == 1)
  }

  @Test("a host whose socket was removed is replaced")
  func removedSocket() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    unlink(fixture.path(".sock"))
    let successor = try fixture.host()
    #expect(successor.seat.epoch == 2)
    #expect(host.seat.isSuperseded)
  }

  @Test("a directory that was removed is created again")
  func removedDirectory() throws {
    let fixture = try SharingFixture()
    try fixture.host().seat.leave()
    for name in ScratchDirectory.names(in: fixture.directory.path) { unlink(fixture.directory.path + "/" + name) }
    rmdir(fixture.directory.path)
    #expect(try fixture.host().seat.epoch == 1)
  }
}
