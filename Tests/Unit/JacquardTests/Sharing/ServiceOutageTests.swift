import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// The behaviour of programs when their service ends, appears, hangs, or does not keep its promises.
@Suite("A service that is not always there")
struct ServiceOutageTests {
  let fixture: WorldFixture

  init() throws {
    fixture = try WorldFixture(sharing: true)
    fixture.world.complain = { Issue.record("\($0)") }
    try fixture.happen("gear attach levis-trucker")
  }

  func connect(_ manager: Manager) throws -> ConnectionWatch {
    ConnectionWatch(try manager.connect(WorldFixture.identifier))
  }

  func connected(_ count: Int) throws -> [ConnectionWatch] {
    let others = try (1..<count).map { _ in try fixture.anotherManager() }
    let watches = try ([fixture.manager!] + others).map { try connect($0) }
    fixture.run(until: { watches.allSatisfy(\.isConnected) }, within: .seconds(60))
    return watches
  }

  func battery(_ watch: ConnectionWatch) -> Result<UInt32, any Error> {
    guard let tag = watch.tag else { return .failure(JacquardError(.staleTag, "")) }
    return fixture.outcome { try await tag.readBattery().percent }
  }

  private func isShared(_ watch: ConnectionWatch) -> Bool {
    watch.isConnected && watch.connection.state.serviceProcess != 0
  }

  private func isDirect(_ watch: ConnectionWatch) -> Bool {
    watch.isConnected && watch.connection.state.serviceProcess == 0
  }

  @Test("a link of another program does not hide that the bond was removed")
  func linkWithoutBond() throws {
    let other = try connect(try fixture.anotherManager())
    fixture.run(until: { other.isConnected }, within: .seconds(60))
    let watch = ConnectionWatch(try fixture.manager.bind(WorldFixture.identifier, Binding(code: "01ZK")))
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    other.connection.end(.disconnected)
    watch.connection.end(.disconnected)
    fixture.run(until: { watch.hasEnded && other.hasEnded }, within: .seconds(60))
    try fixture.happen("foreign remove")
    try fixture.happen("foreign scan for 5s")
    fixture.stepped.pass(.seconds(4))
    try fixture.happen("foreign connect")
    fixture.stepped.pass(.seconds(5))
    let bound = try connect(fixture.manager)
    fixture.run(until: { bound.hasEnded }, within: .seconds(120))
    #expect(bound.reasons.last == .notBound)
    #expect(fixture.tag.violations == [])
  }

  // MARK: Away

  @Test(
    "while the service is away one program has the link, the others wait, and all share again soon after its return",
    arguments: [5, 25, 300])
  func away(seconds: Int) throws {
    let watches = try connected(4)
    fixture.endService()
    fixture.stepped.pass(.seconds(seconds))
    #expect(watches.allSatisfy { !$0.hasEnded })
    if seconds > 20 {
      #expect(watches.count(where: isDirect) == 1)
      #expect(watches.count { $0.connection.state.reason?.code == .inUse } == 3)
    }
    try fixture.startService()
    fixture.run(until: { watches.allSatisfy(isShared) }, within: .seconds(5))
    for watch in watches {
      #expect(isShared(watch))
      #expect((try? battery(watch).get()) != nil)
    }
    #expect(fixture.tag.violations == [])
  }

  @Test("a program that wants a certain adapter waits for it, also if the service is restarted without the adapter")
  func withoutAdapter() throws {
    let fixture = try WorldFixture(adapter: "00:1A:7D:DA:71:13", sharing: true)
    let watch = try fixture.connected()
    try fixture.happen("adapter removed")
    fixture.endService()
    try fixture.startService()
    fixture.stepped.pass(.seconds(9))
    try fixture.happen("adapter added")
    fixture.run(until: { isShared(watch) }, within: .seconds(20))
    #expect(isShared(watch))
    #expect(!watch.phases.contains(.disconnected))
    try fixture.happen("adapter removed")
    fixture.run(until: { watch.hasEnded }, within: .seconds(11))
    #expect(watch.connection.state.reason?.code == .noAdapter)
  }

  @Test("a program that has the link gives it to a service that appears, between two commands")
  func handOver() throws {
    fixture.endService()
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    let tag = try #require(watch.tag)
    try fixture.happen("on request battery once: delay 3s")
    let done = Recorder<String>()
    fixture.loop.spawn { done.note((try? await tag.readBattery()) != nil ? "answered" : "failed") }
    watch.forget()
    try fixture.startService()
    fixture.run(until: { isShared(watch) }, within: .seconds(15))
    #expect(done.entries == ["answered"])
    #expect(isShared(watch))
    #expect(watch.states.first?.reason == .handedOver)
    #expect(watch.states.first?.disconnectReason == .local)
    #expect(fixture.tag.violations == [])
  }

  @Test("a link is given to a service that appears again and again at most once a minute")
  func handOverRate() throws {
    fixture.endService()
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    watch.forget()
    for _ in 0..<6 {
      try fixture.startService()
      fixture.stepped.pass(.seconds(8))
      fixture.endService()
      fixture.stepped.pass(.seconds(22))
    }
    #expect((1...3).contains(watch.states.count { $0.reason == .handedOver }))
    #expect(!watch.hasEnded)
  }

  @Test("work that another link would delay ends before the link is given to a service")
  func handOverDuringWork() throws {
    fixture.endService()
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    let reservation = watch.connection.reservation
    let grant = try fixture.stepped.run { try await reservation.take(.download) }
    try fixture.startService()
    fixture.stepped.pass(.seconds(20))
    #expect(isDirect(watch))
    reservation.release(.download, grant)
    fixture.run(until: { isShared(watch) }, within: .seconds(10))
    #expect(isShared(watch))
  }

  @Test(
    "a link is given to a service that hung when it appeared, or had no bus yet, and waits for neither",
    arguments: [ScriptedService.Manner.hangs, .hasNoBus])
  func handOverLater(manner: ScriptedService.Manner) throws {
    fixture.endService()
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    let service = try ScriptedService(fixture, manner)
    fixture.stepped.pass(.seconds(300))
    #expect(isDirect(watch))
    #expect((1...30).contains(service.contacts))
    service.manner = .connects
    fixture.run(until: { isShared(watch) }, within: .seconds(20))
    #expect(isShared(watch))
  }

  @Test("a program waits for a service without a bus as for one that restarts, and shares with it later")
  func serviceWithoutBus() throws {
    fixture.endService()
    let service = try ScriptedService(fixture, .hasNoBus)
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    #expect(isDirect(watch))
    #expect(watch.reasons == [.busUnavailable])
    service.manner = .connects
    fixture.run(until: { isShared(watch) }, within: .seconds(20))
    #expect(isShared(watch))
  }

  @Test("a service that has lost its bus asks a program of another bus to wait")
  func serviceLosesBus() throws {
    fixture.stepped.killBus()
    fixture.stepped.settle()
    let answers = Recorder<String>()
    guard
      case .connected(let channel) = try ServiceSocket.connect(ServicePlace(fixture.servicePath), loop: fixture.loop)
    else {
      Issue.record("no service")
      return
    }
    channel.start(
      onMessage: {
        if case .refused(let answer) = $0 { answers.note("\(answer.refusal == .full) \(answer.error.code)") }
      },
      onEnd: { _ in })
    channel.send(
      .hello(
        .init(version: Version.current.rawValue, purpose: .link, bus: "another", tag: WorldFixture.identifier.text)))
    fixture.stepped.pass(.seconds(10))
    #expect(answers.entries == ["true \(JacquardError.Code.busUnavailable.rawValue)"])
  }

  @Test("a program that uses no service never gives its link up")
  func withoutService() throws {
    fixture.endService()
    let watch = try connect(try fixture.anotherManager(sharing: false))
    fixture.run(until: { watch.isConnected }, within: .seconds(30))
    try fixture.startService()
    fixture.stepped.pass(.seconds(90))
    #expect(isDirect(watch))
  }

  @Test("programs that have bound the tag do not bind it again when the service returns")
  func boundBefore() throws {
    let watches = try [fixture.manager!, fixture.anotherManager()].map { manager in
      let watch = ConnectionWatch(try manager.bind(WorldFixture.identifier, try Binding(code: "01ZK")))
      fixture.run(until: { watch.isConnected }, within: .seconds(60))
      return watch
    }
    fixture.endService()
    fixture.stepped.pass(.seconds(1))
    watches.forEach { $0.forget() }
    try fixture.startService()
    fixture.run(until: { watches.allSatisfy(isShared) }, within: .seconds(30))
    #expect(watches.allSatisfy(isShared))
    #expect(!watches.flatMap(\.phases).contains(.authenticating))
  }

  // MARK: Sockets

  @Test(
    "a program waits ten seconds for a socket that refuses, and not at all without a socket", arguments: [true, false])
  func refusal(hasSocket: Bool) throws {
    fixture.endService()
    let path = fixture.servicePath
    if hasSocket {
      let socket = OwnedDescriptor(taking: UnixAddress.makeSocket(SOCK_SEQPACKET))
      #expect(try #require(UnixAddress(path: path)).withPointer { bind(socket.rawValue, $0, $1) } == 0)
    }
    let watch = try connect(fixture.manager)
    let began = fixture.now
    fixture.run(until: { watch.isConnected }, within: .seconds(60))
    let elapsed = began.duration(to: fixture.now)
    #expect(isDirect(watch))
    #expect(hasSocket ? elapsed >= .seconds(10) && elapsed < .seconds(15) : elapsed < .seconds(8))
    #expect(watch.reasons == (hasSocket ? [.serviceUnavailable] : []))
  }
}
