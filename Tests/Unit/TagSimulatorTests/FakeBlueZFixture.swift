import DBus
import EventLoop
import PrivateBus
import Testing

@testable import TagSimulator

/// A real bus with the simulated org.bluez, with virtual time: only messages on the bus take real time.
final class FakeBlueZFixture: Sendable {
  let bus: PrivateBus
  let time = VirtualClock()
  let loop: EventLoop
  private let thread: LoopThread

  init() throws {
    bus = try PrivateBus()
    loop = try EventLoop(clock: .virtual(time))
    thread = try LoopThread(loop)
  }

  deinit {
    thread.stop()
    loop.close()
    loop.drain()
  }

  /// Runs a test's body on the loop, with a started world and one host.
  func run(tags: Int = 1, _ body: sending @escaping (SimulatedWorld, FakeBlueZ, Host) async throws -> Void) async throws
  {
    try await loop.run { [self] in
      let world = SimulatedWorld(clock: SimulationClock(loop), tagCount: tags)
      let daemon = FakeBlueZ(try BusAddress(bus.address), clock: world.clock)
      world.inhabit(daemon)
      let host = try await newHost()
      try await daemon.start()
      try await host.catchUp()
      host.forgetSignals()
      try await body(world, daemon, host)
      host.connection.close()
      daemon.kill()
    }
  }

  func newHost() async throws -> Host {
    let host = Host(BusConnection(loop, try BusAddress(bus.address)), self)
    try await host.open()
    return host
  }

  /// Ends the daemon as SIGTERM does.
  func stop(_ daemon: FakeBlueZ) async throws {
    let stopping = loop.spawn { await daemon.stop() }
    while daemon.isRunning { try await pass(.milliseconds(50)) }
    await stopping.value
  }

  /// Lets time pass and runs everything that becomes due.
  func pass(_ duration: Duration) async throws {
    let passed = Completion<Void, CancellationError>()
    loop.schedule(after: duration) { passed.succeed(()) }
    time.advance(by: duration)
    try await passed.value()
  }
}

/// A program that uses org.bluez with plain calls and records every signal.
final class Host {
  static let adapter = "/org/bluez/hci0"
  static let device = adapter + "/dev_C0_1A_DA_00_00_00"
  static let service = device + "/service000a"
  static let command = service + "/char000b"
  static let response = service + "/char000e"
  static let notification = service + "/char0011"
  static let rawData = service + "/char0014"

  let connection: BusConnection
  private unowned let fixture: FakeBlueZFixture
  /// One line for each signal of org.bluez.
  private(set) var signals: [String] = []
  private(set) var values: [String] = []
  private var subscription: Subscription?
  private var owner: NameWatch?

  init(_ connection: BusConnection, _ fixture: FakeBlueZFixture) {
    self.connection = connection
    self.fixture = fixture
  }

  func open() async throws {
    try await connection.open()
    subscription = try await connection.subscribe(MatchRule(sender: FakeBlueZ.busName)) { [weak self] in
      self?.note(Message($0))
    }
    owner = try await connection.watchName(FakeBlueZ.busName) { [weak self] in
      self?.signals.append($0 == nil ? "org.bluez gone" : "org.bluez there")
    }
  }

  private func note(_ message: Message) {
    let body = message.body()
    switch message.member {
    case "PropertiesChanged":
      let object = message.path.map(Self.short) ?? ""
      if let value = body[1]["Value"]?.asBytes { return values.append("\(object) \(hex(value))") }
      let changed = (body[1].asProperties ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.text($0.value))" }
      let gone = (body[2].asStrings ?? []).map { "-\($0)" }
      signals.append("\(object) " + (changed + gone).joined(separator: " "))
    case "InterfacesAdded": signals.append("+" + Self.short(body[0].asObjectPath ?? ""))
    case "InterfacesRemoved": signals.append("-" + Self.short(body[0].asObjectPath ?? ""))
    default: signals.append(message.member ?? "")
    }
  }

  private static func short(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return name.hasPrefix("dev_") ? "dev" + name.suffix(2) : name
  }

  private static func text(_ value: Value) -> String {
    value.asBool.map { "\($0)" } ?? value.asString ?? value.asInteger(Int.self).map { "\($0)" } ?? "…"
  }

  func forgetSignals() { (signals, values) = ([], []) }

  /// The signals since the last call; those about signal strength only on request.
  func takeSignals() async throws -> [String] {
    try await catchUp()
    defer { signals = [] }
    return signals.filter { !$0.contains("RSSI=") }
  }

  func takeValues() async throws -> [String] {
    try await catchUp()
    defer { values = [] }
    return values
  }

  /// Returns when everything sent earlier has arrived.
  func catchUp() async throws {
    _ = try? await connection.call(
      to: FakeBlueZ.busName, path: "/", interface: ObjectServer.introspectable, member: "Introspect")
  }

  // MARK: - Calls

  @discardableResult
  func call(
    _ path: String, _ interface: String, _ method: String, _ body: [Value] = [], deadline: Duration = .seconds(100)
  ) async throws -> [Value] {
    try await connection.call(
      to: FakeBlueZ.busName, path: path, interface: "org.bluez." + interface, member: method, body, deadline: deadline
    )
    .body()
  }

  /// A call that continues while the test does other things.
  func begin(_ path: String, _ interface: String, _ method: String, _ body: [Value] = []) throws -> Outcome {
    let outcome = Outcome()
    try connection.call(
      .methodCall(
        destination: FakeBlueZ.busName, path: path, interface: "org.bluez." + interface, member: method, body),
      deadline: .seconds(1000)
    ) { outcome.note($0) }
    return outcome
  }

  final class Outcome {
    private(set) var text: String?

    func note(_ result: Result<Message, BusError>) {
      switch result {
      case .success: text = "ok"
      case .failure(let error): text = "\(error)"
      }
    }
  }

  func get(_ path: String, _ interface: String, _ property: String) async throws -> Value? {
    try await connection.call(
      to: FakeBlueZ.busName, path: path, interface: ObjectServer.properties, member: "Get",
      [.string("org.bluez." + interface), .string(property)]
    ).body().first?.unwrapped
  }

  func set(_ path: String, _ interface: String, _ property: String, _ value: Value) async throws {
    try await connection.call(
      to: FakeBlueZ.busName, path: path, interface: ObjectServer.properties, member: "Set",
      [.string("org.bluez." + interface), .string(property), .variant(value)])
  }

  func paths() async throws -> [String] {
    let answer = try await connection.call(
      to: FakeBlueZ.busName, path: "/", interface: ObjectServer.objectManager, member: "GetManagedObjects")
    return (answer.body().first?.asEntries ?? []).compactMap(\.key.asObjectPath)
  }

  // MARK: - Usual actions of hosts

  func scan() async throws {
    try await call(Self.adapter, "Adapter1", "StartDiscovery")
    try await fixture.pass(.milliseconds(150))
    try await call(Self.adapter, "Adapter1", "StopDiscovery")
    try await catchUp()
  }

  /// Finds the tag, connects and waits for its services.
  func connect() async throws {
    if try await !paths().contains(Self.device) { try await scan() }
    let connecting = try begin(Self.device, "Device1", "Connect")
    try await catchUp()
    try await fixture.pass(.milliseconds(200))
    try await catchUp()
    #expect(connecting.text == "ok")
  }

  func subscribe() async throws {
    for path in [Self.response, Self.notification, Self.rawData] {
      try await call(path, "GattCharacteristic1", "StartNotify")
    }
  }

  func write(_ text: String, to path: String = Host.command, type: String = "request") async throws {
    let writing = try begin(
      path, "GattCharacteristic1", "WriteValue", [.bytes(bytes(hex: text)!), ["type": .string(type)]])
    try await catchUp()
    try await fixture.pass(.zero)
    try await catchUp()
    if let text = writing.text, text != "ok" { throw MethodFailure(name: text, message: "") }
  }
}
