import EventLoop
import Glibc
import Testing
import TestWorld

@testable import Sharing

/// Programs in one process: their locks belong to open file descriptions.
@Suite("The programs that use a tag")
struct ElectionTests {
  @Test("the first is the host, later ones are its guests")
  func firstIsHost() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    #expect(host.seat.epoch == 1)
    #expect(host.seat.predecessor == nil)
    let guest = try fixture.guest()
    #expect(guest.channel.epoch == 1)
    #expect(guest.channel.peer == getpid())
    #expect(host.guests.map(\.channel.peer) == [getpid()])
    #expect(host.seat.hasGuests)
    guest.channel.close()
    try fixture.settle()
    #expect(host.guests[0].ends == [.closed])
    #expect(!host.seat.hasGuests)
  }

  @Test("of twenty at the same moment, one is the host")
  func twenty() throws {
    let fixture = try SharingFixture()
    var hosts: [TestHost] = []
    var guests: [Channel] = []
    for _ in 0..<20 {
      let place = fixture.place()
      fixture.loop.spawn {
        switch try? await place.enter() {
        case .host(let seat): hosts.append(TestHost(seat))
        case .guest(let channel): guests.append(channel)
        case nil: Issue.record("neither host nor guest")
        }
      }
    }
    try fixture.settle()
    #expect(hosts.count == 1)
    #expect(guests.count == 19)
    #expect(fixture.isIdle)
  }

  @Test("those of another tag or another bus have another host")
  func otherTags() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    for place in [
      fixture.place("other"), fixture.place("a/b"), fixture.place(String(repeating: "long", count: 100)),
      MeetingPlace(fixture.directory, bus: "other", tag: "tag", loop: fixture.loop),
    ] {
      guard case .host(let seat) = try fixture.run({ try await place.enter() }) else {
        Issue.record("a guest")
        continue
      }
      seat.leave()
    }
    #expect(!host.seat.hasGuests)
  }

  @Test("an idle host and an idle guest do nothing")
  func idle() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let guest = try fixture.guest()
    #expect(fixture.isIdle)
    withExtendedLifetime((host, guest)) {}
  }

  @Test("of the guests of a host that leaves, one is its successor")
  func leaving() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let guests = try (0..<5).map { _ in try fixture.guest() }
    host.seat.announce(lastID: 17, isWriting: true)
    host.seat.announce(lastID: 17, isWriting: false)
    host.seat.leave()
    try fixture.settle()
    #expect(guests.map(\.ends) == Array(repeating: [.closed], count: 5))
    #expect(host.guests.map(\.ends) == Array(repeating: [], count: 5))
    let successor = try fixture.host()
    #expect(successor.seat.epoch == 2)
    let predecessor = try #require(successor.seat.predecessor)
    #expect(predecessor.epoch == 1)
    #expect(predecessor.process == getpid())
    #expect(predecessor.lastID == 17)
    #expect(!predecessor.wasWriting)
    #expect(!predecessor.isRunning)
    for _ in 0..<4 { _ = try fixture.guest() }
    #expect(successor.guests.count == 4)
  }

  @Test("a host that leaves may enter again")
  func again() throws {
    let fixture = try SharingFixture()
    for epoch in 1...200 as ClosedRange<UInt64> {
      let host = try fixture.host()
      #expect(host.seat.epoch == epoch)
      #expect(host.seat.announce(lastID: UInt32(epoch), isWriting: false))
      #expect(host.seat.predecessor?.lastID ?? 0 == UInt32(epoch - 1))
      host.seat.leave()
    }
    #expect(ScratchDirectory.names(in: fixture.directory.path).count == 2)
  }

  @Test("a host that does not welcome a newcomer in time is replaced")
  func hanging() throws {
    let fixture = try SharingFixture()
    let silent = try fixture.silentHost()
    let before = fixture.time.now
    let host = try fixture.host()
    #expect(before.duration(to: fixture.time.now) >= .seconds(2))
    #expect(before.duration(to: fixture.time.now) < .seconds(3))
    #expect(host.seat.epoch == 2)
    let predecessor = try #require(host.seat.predecessor)
    #expect(predecessor.isRunning)
    var ends = 0
    predecessor.onEnd { ends += 1 }
    try fixture.settle()
    #expect(ends == 0)

    var superseded = 0
    silent.open(onGuest: { _ in Issue.record("a guest of the former host") }, onSuperseded: { superseded += 1 })
    try fixture.settle()
    #expect(superseded == 1)
    #expect(silent.isSuperseded)
    #expect(predecessor.isRunning)
    silent.leave()
    try fixture.settle()
    #expect(ends == 1)
    #expect(!predecessor.isRunning)
    predecessor.onEnd { ends += 1 }
    try fixture.settle()
    #expect(ends == 2)
    #expect(fixture.isIdle)
  }

  @Test("an exclusive host keeps its seat while it hangs, but not when it ends")
  func exclusiveHanging() throws {
    let fixture = try SharingFixture()
    let silent = try fixture.silentHost()
    silent.refusal = .exclusive
    #expect(silent.announce(lastID: 7, isWriting: false))
    #expect(throws: SharingError.refused(.exclusive, by: getpid())) { try fixture.host() }
    #expect(!silent.isSuperseded)
    silent.leave()
    #expect(try fixture.host().seat.epoch == 2)
  }

  @Test("a program that knows that the host hangs does not wait for it")
  func knownToHang() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let guest = try fixture.guest()
    let passive = try fixture.guest()
    let before = fixture.time.now
    guest.channel.close()
    let successor = TestHost(try fixture.silentHost(past: 1))
    #expect(before.duration(to: fixture.time.now) == .zero)
    try fixture.settle()
    #expect(successor.seat.epoch == 2)
    #expect(host.seat.isSuperseded)
    #expect(passive.ends == [.superseded])

    // A second one that noticed the same finds the successor.
    guard case .guest(let other) = try fixture.enter(past: 1) else {
      Issue.record("a second successor")
      return
    }
    #expect(other.epoch == 2)
  }

  @Test("of all guests that notice at the same moment that the host hangs, one is the successor")
  func noticedTogether() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let guests = try (0..<10).map { _ in try fixture.guest() }
    let before = fixture.time.now
    var seats: [TestHost] = []
    var channels: [Channel] = []
    for guest in guests {
      guest.channel.close()
      let place = fixture.place()
      fixture.loop.spawn {
        switch try? await place.enter(past: 1) {
        case .host(let seat): seats.append(TestHost(seat))
        case .guest(let channel): channels.append(channel)
        case nil: Issue.record("neither host nor guest")
        }
      }
    }
    try fixture.settle()
    #expect(seats.map(\.seat.epoch) == [2])
    #expect(channels.map(\.epoch) == Array(repeating: 2, count: 9))
    #expect(before.duration(to: fixture.time.now) == .zero)
    #expect(host.seat.isSuperseded)
  }

  @Test("a newcomer that waits for a host that hangs finds its successor at once")
  func successorWhileWaiting() throws {
    let fixture = try SharingFixture()
    let silent = try fixture.silentHost()
    let place = fixture.place()
    var channel: Channel?
    fixture.loop.spawn { if case .guest(let found) = try? await place.enter() { channel = found } }
    try fixture.settle()
    let before = fixture.time.now
    let successor = TestHost(try fixture.silentHost(past: 1))
    try fixture.settle()
    #expect(channel?.epoch == 2)
    #expect(before.duration(to: fixture.time.now) < .milliseconds(10))
    withExtendedLifetime((silent, successor)) {}
  }

  @Test("a host that hangs before it accepts guests is replaced")
  func hangingStart() throws {
    let fixture = try SharingFixture()
    let file = try LockFile(MeetingFiles(fixture.directory, bus: "bus", tag: "tag"))
    #expect(try file.lock(1))
    let before = fixture.time.now
    let host = try fixture.host()
    #expect(before.duration(to: fixture.time.now) >= .seconds(2))
    #expect(before.duration(to: fixture.time.now) < .seconds(3))
    #expect(host.seat.epoch == 2)
    #expect(host.seat.predecessor?.wasWriting == true)
    #expect(file.isSuperseded(1))
  }

  @Test("a host that hangs before it accepts guests, then ends, is replaced within a moment")
  func endedStart() throws {
    let fixture = try SharingFixture()
    var file: LockFile? = try LockFile(MeetingFiles(fixture.directory, bus: "bus", tag: "tag"))
    #expect(try file?.lock(1) == true)
    let place = fixture.place()
    var seat: HostSeat?
    fixture.loop.spawn { if case .host(let found) = try? await place.enter() { seat = found } }
    try fixture.settle()
    #expect(seat == nil)
    file = nil
    fixture.time.advance(by: .milliseconds(200))
    try fixture.settle()
    #expect(seat?.epoch == 1)
  }

  @Test("a host that continues finds its successor before it writes")
  func continued() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    #expect(host.seat.announce(lastID: 4, isWriting: true))
    let successor = try fixture.silentHost(past: 1)
    #expect(successor.predecessor?.lastID == 4)
    #expect(successor.predecessor?.wasWriting == true)
    #expect(!host.seat.announce(lastID: 5, isWriting: true))
    #expect(successor.announce(lastID: 5, isWriting: true))
  }

  @Test("what a host announced is known until a later one announces something", arguments: [false, true])
  func inherited(_ isWriting: Bool) throws {
    let fixture = try SharingFixture()
    let first = try fixture.silentHost()
    first.announce(lastID: 99, isWriting: isWriting)
    first.leave()
    for _ in 0..<3 {
      let next = try fixture.silentHost()
      #expect(next.predecessor?.lastID == 99)
      #expect(next.predecessor?.wasWriting == isWriting)
      next.leave()
    }
    let last = try fixture.silentHost()
    last.announce(lastID: 100, isWriting: false)
    last.leave()
    #expect(try fixture.silentHost().predecessor?.wasWriting == false)
  }

  @Test("a packet of a single value disturbs no successor of a host that has ended", arguments: [false, true])
  func singleValue(_ isSingleValue: Bool) throws {
    let fixture = try SharingFixture()
    let host = try fixture.silentHost()
    host.announce(lastID: 4, isWriting: true, isSingleValue: isSingleValue)
    // It may still write the packet when it continues.
    let successor = try fixture.silentHost(past: 1)
    let predecessor = try #require(successor.predecessor)
    #expect(predecessor.mayDisturb)
    host.leave()
    try fixture.settle()
    #expect(predecessor.mayDisturb == !isSingleValue)
    successor.leave()
    #expect(try fixture.silentHost().predecessor?.mayDisturb == !isSingleValue)
  }

  @Test("the end of several hosts that hang is awaited")
  func severalHanging() throws {
    let fixture = try SharingFixture()
    let first = try fixture.silentHost()
    let second = try fixture.silentHost(past: 1)
    let third = try fixture.silentHost(past: 2)
    let predecessor = try #require(third.predecessor)
    #expect(predecessor.epoch == 2)
    second.leave()
    try fixture.settle()
    #expect(predecessor.isRunning)
    first.leave()
    try fixture.settle()
    #expect(!predecessor.isRunning)
  }

  @Test("the end of a host that hung is known before the loop reports it")
  func endBeforeDispatch() throws {
    let fixture = try SharingFixture()
    let first = try fixture.silentHost()
    let second = try fixture.silentHost(past: 1)
    let predecessor = try #require(second.predecessor)
    #expect(!predecessor.hasEnded)
    first.leave()
    #expect(predecessor.isRunning)
    #expect(predecessor.hasEnded)
  }

  @Test("what a guest received before its host was replaced is delivered")
  func nothingLost() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    guard case .guest(let channel) = try fixture.enter() else { throw SharingFixture.Unexpected() }
    for id in 1...40 as ClosedRange<UInt32> { host.guests[0].channel.send(.accepted(id: id)) }
    let successor = try fixture.silentHost(past: 1)
    try fixture.settle()
    let guest = TestGuest(channel)
    try fixture.settle()
    #expect(guest.messages.count == 40)
    #expect(guest.ends == [.superseded])
    withExtendedLifetime(successor) {}
  }

  @Test("an exclusive host refuses later guests, and keeps the present ones")
  func exclusive() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let guest = try fixture.guest()
    host.seat.refusal = .exclusive
    #expect(throws: SharingError.refused(.exclusive, by: getpid())) { try fixture.enter() }
    host.guests[0].channel.send(.name("tag"))
    try fixture.settle()
    #expect(guest.messages == [Received(.name("tag"))])
    #expect(fixture.isIdle)
  }

  @Test("a host has at most 64 guests")
  func full() throws {
    let fixture = try SharingFixture()
    let host = try fixture.host()
    let guests = try (0..<HostSeat.mostGuests).map { _ in try fixture.guest() }
    #expect(throws: SharingError.refused(.full, by: getpid())) { try fixture.enter() }
    guests[3].channel.close()
    try fixture.settle()
    _ = try fixture.guest()
    withExtendedLifetime(host) {}
  }

  @Test("report who is the host, without disturbing it")
  func currentHost() throws {
    let fixture = try SharingFixture()
    let place = fixture.place()
    #expect(try place.currentHost() == nil)
    #expect(ScratchDirectory.names(in: fixture.directory.path).isEmpty)
    let host = try fixture.host()
    #expect(try place.currentHost() == getpid())
    #expect(fixture.isIdle)
    host.seat.leave()
    #expect(try place.currentHost() == nil)
  }

  @Test("may be cancelled while they wait")
  func cancelled() throws {
    let fixture = try SharingFixture()
    let silent = try fixture.silentHost()
    let place = fixture.place()
    var error: SharingError?
    let task = fixture.loop.spawn {
      do throws(SharingError) { _ = try await place.enter() } catch let thrown { error = thrown }
    }
    try fixture.settle()
    task.cancel()
    try fixture.settle()
    #expect(error == .cancelled)
    #expect(fixture.isIdle)
    withExtendedLifetime(silent) {}
  }

  @Test("meet in directories with long paths", arguments: [0, 1, 2, 5])
  func longPaths(_ depth: Int) throws {
    let fixture = try SharingFixture(depth: depth)
    let host = try fixture.host()
    _ = try fixture.guest()
    #expect(host.guests.count == 1)
    host.seat.leave()
    #expect(!ScratchDirectory.names(in: fixture.directory.path).contains { $0.hasSuffix(".sock") })
  }

  @Test("leave no descriptors after a thousand entries")
  func descriptors() throws {
    let fixture = try SharingFixture()
    func count() -> Int { ScratchDirectory.names(in: "/proc/self/fd").count }
    let before = count()
    for _ in 0..<250 {
      let host = try fixture.host()
      for _ in 0..<3 {
        let guest = try fixture.guest()
        guest.channel.close()
      }
      host.seat.leave()
      try fixture.settle()
    }
    #expect(count() == before)
  }
}
