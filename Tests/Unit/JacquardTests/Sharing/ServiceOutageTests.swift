import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// What programs do when their service ends, appears, hangs, or does not keep its promises.
@Suite("A service that is not always there")
struct ServiceOutageTests {
  private let fixture: WorldFixture

  init() throws {
    fixture = try WorldFixture(sharing: true)
    fixture.world.complain = { Issue.record("\($0)") }
    try fixture.happen("gear attach levis-trucker")
  }

  private func connect(_ manager: Manager) throws -> ConnectionWatch {
    ConnectionWatch(try manager.connect(WorldFixture.identifier))
  }

  private func connected(_ count: Int) throws -> [ConnectionWatch] {
    let others = try (1..<count).map { _ in try fixture.anotherManager() }
    let watches = try ([fixture.manager!] + others).map { try connect($0) }
    fixture.run(until: { watches.allSatisfy(\.isConnected) }, within: .seconds(60))
    return watches
  }

  private func battery(_ watch: ConnectionWatch) -> Result<UInt32, any Error> {
    guard let tag = watch.tag else { return .failure(JacquardError(.staleTag, "")) }
    return fixture.outcome { try await tag.readBattery().percent }
  }

  private func isShared(_ watch: ConnectionWatch) -> Bool {
    watch.isConnected && watch.connection.state.serviceProcess != 0
  }

  private func isDirect(_ watch: ConnectionWatch) -> Bool {
    watch.isConnected && watch.connection.state.serviceProcess == 0
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

  // MARK: Services that hang or lie

  @Test("a service that stands still is noticed within five seconds by who waits for it, and commands end")
  func hangs() throws {
    fixture.endService()
    let service = try ScriptedService(fixture, .connects)
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(10))
    service.answersPings = false
    fixture.stepped.pass(.seconds(60))
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    let began = fixture.now
    let results = [Duration?.none, .milliseconds(2000), .seconds(60)].map { limit in
      fixture.outcome { try await tag.readBattery(deadline: limit) }
    }
    #expect(results.compactMap(code) == [.connectionLost, .staleTag, .staleTag])
    #expect(began.duration(to: fixture.now) <= .seconds(5))
    #expect(watch.connection.state.phase == .preparing)
    #expect(watch.connection.state.reason == .serviceHangs(getpid()))
    fixture.stepped.pass(.seconds(120))
    #expect(!watch.hasEnded)
  }

  @Test("nothing is asked of a service while no one waits, and a service that answers may take its time")
  func heartbeat() throws {
    fixture.endService()
    let service = try ScriptedService(fixture, .connects)
    let watch = try connect(fixture.manager)
    fixture.run(until: { watch.isConnected }, within: .seconds(10))
    fixture.stepped.pass(.seconds(60))
    let idle = service.pings
    fixture.stepped.pass(.seconds(3600))
    #expect(service.pings == idle)
    let tag = try #require(watch.tag)
    let began = fixture.now
    #expect(code(fixture.outcome { try await tag.readBattery(deadline: .seconds(2)) }) == .timeout)
    #expect((.seconds(11)...(.seconds(13))).contains(began.duration(to: fixture.now)))
    #expect(service.pings > idle)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == .timeout)
    #expect(began.duration(to: fixture.now) < .seconds(200))
    #expect(watch.isConnected)
  }

  @Test("a command whose request is sent again lasts no longer than its limit and the grace")
  func secondAttempt() throws {
    let tag = try #require(try connected(1)[0].tag)
    try fixture.happen("quirk unanswered-write on")
    // The response arrives; the write blocks the next command.
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    let began = fixture.now
    #expect(code(fixture.outcome { try await tag.readBattery(deadline: .seconds(2)) }) == .timeout)
    #expect((.seconds(11)...(.seconds(13))).contains(began.duration(to: fixture.now)))
  }

  @Test("a service that ends again and again is asked with growing pauses", arguments: ScriptedService.Manner.ending)
  func endsAgain(manner: ScriptedService.Manner) throws {
    fixture.endService()
    let service = try ScriptedService(fixture, manner)
    let watch = try connect(fixture.manager)
    fixture.stepped.pass(.seconds(5))
    #expect((2...6).contains(service.contacts))
    fixture.stepped.pass(.seconds(115))
    #expect(service.contacts < 16)
    #expect(watch.states.count < 64)
  }

  @Test("a request of a program that has ended is not sent to the tag")
  func orphan() throws {
    let watch = try connected(1)[0]
    _ = battery(watch)
    guard
      case .connected(let channel) = try ServiceSocket.connect(ServicePlace(fixture.servicePath), loop: fixture.loop)
    else {
      Issue.record("no service")
      return
    }
    let bus = try #require(watch.connection.core.bluez.busID)
    var isConnected = false
    channel.start(
      onMessage: { if case .state(let state) = $0, state.phase == Phase.connected.rawValue { isConnected = true } },
      onEnd: { _ in })
    channel.send(
      .hello(.init(version: Version.current.rawValue, purpose: .link, bus: bus, tag: WorldFixture.identifier.text)))
    fixture.run(until: { isConnected }, within: .seconds(5))
    let writes = Recorder<String>()
    fixture.daemon.called = { _, member in if member == "WriteValue" { writes.note(member) } }
    let request = WireRequest.with { $0.id = 1 }
    request.packet().withUnsafeBytes { _ = channel.send(.request(.init(id: 1, packet: $0))) }
    channel.close()
    fixture.stepped.pass(.seconds(1))
    #expect(writes.entries == [])
    #expect((try? battery(watch).get()) != nil)
  }
}

/// A service that does what a test wants, on the fixture's loop.
final class ScriptedService {
  /// How far a program comes.
  enum Manner: CaseIterable {
    /// Connects to a tag that answers nothing.
    case connects
    case closes
    case welcomesAndCloses
    case beginsAndCloses
    /// Answers as one of another version does.
    case refuses
    /// Answers nothing.
    case hangs
    /// Answers as one without a bus does.
    case hasNoBus

    static let ending: [Manner] = [.closes, .welcomesAndCloses, .beginsAndCloses, .refuses]
  }

  var answersPings = true
  private(set) var contacts = 0
  private(set) var pings = 0
  /// Programs that wait for an answer get that of the new one.
  var manner: Manner {
    didSet {
      for channel in unanswered { welcome(channel) }
      unanswered = []
    }
  }
  private var unanswered: [ProgramChannel] = []
  private var listener: ServiceListener?
  private var channels: [ProgramChannel] = []

  init(_ fixture: WorldFixture, _ manner: Manner) throws {
    self.manner = manner
    listener = try ServiceListener(fixture.servicePath, loop: fixture.loop) { [weak self] in self?.accept($0) }
  }

  private func accept(_ channel: ProgramChannel) {
    contacts += 1
    channels.append(channel)
    channel.start(
      onMessage: { [weak self, unowned channel] in self?.take($0, from: channel) }, onEnd: { _ in })
  }

  private func take(_ message: ProgramMessage, from channel: ProgramChannel) {
    switch message {
    case .hello where manner == .hangs: unanswered.append(channel)
    case .hello where answersPings: welcome(channel)
    case .ping:
      pings += 1
      if answersPings { channel.send(.pong) }
    default: break
    }
  }

  private func welcome(_ channel: ProgramChannel) {
    defer { if manner != .connects { channel.close() } }
    if manner == .closes { return }
    if manner == .refuses {
      channel.send(.refused(.full, .serviceEnded))
      return
    }
    if manner == .hasNoBus {
      channel.send(.refused(.full, JacquardError(.busUnavailable, "")))
      return channel.close()
    }
    channel.send(.welcome)
    if manner == .welcomesAndCloses { return }
    channel.send(.state(ConnectionState(phase: .preparing, step: 2, attempt: 1)))
    if manner == .beginsAndCloses { return }
    let info = WireDeviceInfoResponse.with { $0.vendor = "Google" }
    info.packet().withUnsafeBytes {
      _ = channel.send(.tagInfo(.init(address: "C0:1A:DA:00:00:00", name: "tag", response: $0)))
    }
    channel.send(.state(ConnectionState(phase: .connected, step: Step.connected.rawValue, attempt: 1)))
  }
}
