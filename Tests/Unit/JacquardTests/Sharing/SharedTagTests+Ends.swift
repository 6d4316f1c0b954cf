import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

extension SharedTagTests {
  // MARK: Programs that end

  /// Ends the channel without a message, as SIGKILL does.
  private func kill(_ watch: ConnectionWatch, _ manager: Manager) {
    manager.close()
    withExtendedLifetime(watch) {}
  }

  private enum End: CaseIterable {
    case disconnect, close, kill
  }

  @Test("a program that ends changes nothing for the others", arguments: End.allCases)
  private func programEnds(_ end: End) throws {
    let other = try fixture.anotherManager()
    let leaving = try connected(other)
    let (first, second, _) = try pair()
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    let heard = listen(first)
    let tag = try #require(leaving.tag)
    try fixture.happen("on request battery once: delay 200ms")
    fixture.loop.spawn { _ = try? await tag.readBattery() }
    fixture.stepped.pass(.milliseconds(20))
    let results = readBatteries(3, of: try #require(first.tag))
    switch end {
    case .disconnect: leaving.connection.end(.disconnected)
    case .close: leaving.connection.end(.closed)
    case .kill: kill(leaving, other)
    }
    first.forget()
    try fixture.happen("gesture brush-in")
    fixture.run(until: { results.entries.count == 3 }, within: .seconds(10))
    #expect(results.entries.allSatisfy { $0.hasSuffix("%") })
    #expect(heard.entries.contains("gesture 2"))
    #expect(first.states.isEmpty && first.isConnected && second.isConnected)
    #expect(calls.entries.allSatisfy { $0 == "WriteValue" })
    #expect(fixture.tag.violations == [])
  }

  /// The percentages or the errors of battery requests, in the order in which they complete.
  private func readBatteries(_ count: Int, of tag: Jacquard.Tag) -> Recorder<String> {
    let results = Recorder<String>()
    for number in 1...count {
      fixture.loop.spawn {
        do throws(JacquardError) {
          results.note("\(number): \(try await tag.readBattery().percent) %")
        } catch {
          results.note("\(number): \(error.code)")
        }
      }
    }
    return results
  }

  @Test("the link stays for a while after the last program, and the next one is connected at once")
  func warmLink() throws {
    let other = try fixture.anotherManager()
    let first = try connected(fixture.manager)
    first.connection.end(.closed)
    fixture.run(until: { first.hasEnded })
    kill(first, fixture.manager)
    fixture.stepped.pass(.seconds(5))
    #expect(fixture.tag.isConnected)
    let start = fixture.now
    let second = try connected(other)
    #expect(start.duration(to: fixture.now) < .milliseconds(100))
    try works(second)
    other.close()
    fixture.stepped.pass(.seconds(9))
    #expect(fixture.tag.isConnected)
    fixture.stepped.pass(.seconds(4))
    #expect(!fixture.tag.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test(
    "the link is dropped when the last two programs end at almost the same time", arguments: End.allCases,
    [0, 1, 50, 100])
  private func programsEndTogether(_ end: End, _ milliseconds: Int) throws {
    let other = try fixture.anotherManager()
    let second = try connected(other)
    let first = try connected(fixture.manager)
    for (watch, manager) in [(first, fixture.manager!), (second, other)] {
      switch end {
      case .disconnect: watch.connection.end(.disconnected)
      case .close: watch.connection.end(.closed)
      case .kill: kill(watch, manager)
      }
      fixture.stepped.pass(.milliseconds(milliseconds))
    }
    fixture.stepped.pass(.seconds(13))
    #expect(!fixture.tag.isConnected)
    #expect(fixture.tag.journal.links == 1)
    #expect(fixture.tag.violations == [])
  }

  @Test("a warm link that the tag drops stays down")
  func lostWarmLink() throws {
    let first = try connected(fixture.manager)
    first.connection.end(.closed)
    fixture.run(until: { first.hasEnded })
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    try fixture.happen("drop link")
    fixture.stepped.pass(.seconds(9))
    #expect(!calls.entries.contains("Connect"))
    #expect(fixture.tag.journal.links == 1)
    try works(connected(fixture.anotherManager()))
    #expect(fixture.tag.violations == [])
  }

  @Test("a link that no program uses ends at once for a program that has links itself")
  func warmLinkForDirectProgram() throws {
    let direct = try fixture.anotherManager(sharing: false)
    let first = try connected(fixture.manager)
    first.connection.end(.closed)
    fixture.run(until: { first.hasEnded })
    let second = try connected(direct)
    #expect(second.reasons == [])
    #expect(second.connection.state.serviceProcess == 0)
    try works(second)
    #expect(fixture.tag.violations == [])
  }

  @Test("a packet that the tag sends before programs have it reaches them")
  func earlyRawPacket() throws {
    try fixture.happen("after ready raw-packet 9 01 02 03")
    let packets = Recorder<[UInt8]>()
    let connection = try connect(fixture.manager).connection
    connection.notifications.raw.packets.add { packets.note(Array($0)) }
    fixture.run(until: { packets.entries.count == 1 }, within: .seconds(30))
    #expect(packets.entries == [[1, 2, 3]])
    #expect(fixture.tag.violations == [])
  }

  @Test("raw data reaches only programs that want it, and one more packet after their last subscription")
  func rawDataOnRequest() throws {
    let (first, second, _) = try pair()
    let packets = Recorder<[UInt8]>()
    let observation = first.connection.notifications.raw.packets.add { packets.note(Array($0)) }
    func received() -> [UInt64] {
      [first, second].map { $0.connection.notifications.statistics.counts.rawPackets }
    }
    for number in 1...4 {
      if number == 3 { observation.cancel() }
      try fixture.happen("raw-packet \(number) 61")
      fixture.stepped.pass(.milliseconds(100))
    }
    #expect(packets.entries == [[0x61], [0x61]])
    #expect(received() == [3, 0])
    #expect(fixture.tag.violations == [])
  }

  @Test("a disconnect that the user requests drops the link, unless others use it")
  func requestedDisconnect() throws {
    let (first, second, _) = try pair()
    first.connection.end(.disconnected)
    fixture.stepped.pass(.seconds(3))
    #expect(first.hasEnded && second.isConnected && fixture.tag.isConnected)
    second.connection.end(.disconnected)
    fixture.stepped.pass(.seconds(3))
    #expect(!fixture.tag.isConnected)
  }

  // MARK: The service ends

  @Test("when the service ends and is started again, all programs are connected again")
  func serviceRestarts() throws {
    let (first, second, _) = try pair()
    let results = readBatteries(3, of: try #require(second.tag))
    first.forget()
    fixture.endService()
    fixture.settle()
    for watch in [first, second] { #expect(watch.connection.state.phase == .preparing) }
    #expect(first.reasons == [.serviceUnavailable])
    #expect(results.entries == (1...3).map { "\($0): connectionLost" })
    fixture.stepped.pass(.seconds(1))
    try fixture.startService()
    fixture.run(until: { first.isConnected && second.isConnected }, within: .seconds(30))
    for watch in [first, second] {
      #expect(watch.connection.state.serviceProcess == getpid())
      try works(watch)
    }
    #expect(fixture.tag.violations == [])
  }

  @Test("when the service does not return, a program has the link itself after ten seconds, until there is a service")
  func serviceStaysAway() throws {
    let first = try connected(fixture.manager)
    fixture.endService()
    let start = fixture.now
    fixture.run(until: { first.isConnected && first.connection.state.serviceProcess == 0 }, within: .seconds(60))
    #expect(first.isConnected)
    #expect(start.duration(to: fixture.now) >= .seconds(10))
    try works(first)
    let second = try connect(try fixture.anotherManager())
    fixture.run(until: { second.hasEnded }, within: .seconds(10))
    #expect(second.connection.state.reason == .inUse(by: getpid()))
    try fixture.startService()
    try fixture.happen("drop link")
    fixture.run(until: { first.isConnected && first.connection.state.serviceProcess != 0 }, within: .seconds(60))
    #expect(first.isConnected)
    #expect(fixture.tag.violations == [])
  }

  @Test("a slow tag does not look like a service that hangs")
  func slowTag() throws {
    let (first, second, _) = try pair()
    try fixture.happen("on request battery once: delay 7s")
    let calls = Recorder<String>()
    fixture.daemon.called = { _, member in calls.note(member) }
    #expect(try battery(second).get() > 0)
    #expect(first.isConnected && second.isConnected)
    #expect(calls.entries.filter { $0 != "WriteValue" } == [])
  }
}
