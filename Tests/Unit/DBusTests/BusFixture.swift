import DBus
import EventLoop
import Glibc
import PrivateBus

/// A private bus and a loop on its own thread, with any number of connections.
final class BusFixture: Sendable {
  let bus: PrivateBus
  let loop: EventLoop
  private let thread: LoopThread

  convenience init() throws { try self.init(PrivateBus()) }

  init(_ bus: PrivateBus) throws {
    self.bus = bus
    loop = try EventLoop()
    thread = try LoopThread(loop)
  }

  deinit {
    thread.stop()
    loop.close()
    loop.drain()
  }

  var address: BusAddress { get throws { try BusAddress(bus.address) } }

  /// Runs a test's body on the loop.
  func run<T: Sendable>(_ body: sending @escaping () async throws -> T) async throws -> T {
    try await loop.run { [loop] in
      // Nothing here takes long; a test that hangs must fail.
      try await loop.withDeadline(.seconds(60), expired: BusError.deadline as any Error, body)
    }
  }

  func connect() async throws -> BusConnection {
    let connection = BusConnection(loop, try address)
    try await connection.open()
    return connection
  }
}

/// A service that echoes its arguments, and some faulty services.
final class EchoService {
  static let name = "org.example.Echo"
  static let path = "/org/example/echo"
  static let interface = "org.example.Echo"

  let connection: BusConnection
  private var export: Export?
  /// Calls of `Never`, kept without a reply.
  var unanswered: [MethodCall] = []

  init(_ connection: BusConnection) async throws {
    self.connection = connection
    export = try connection.export(Self.path) { [unowned self] call in answer(call) }
    try await connection.requestName(Self.name)
  }

  private func answer(_ call: MethodCall) {
    switch call.member {
    case "Echo": try? call.reply(call.body())
    case "Fail": call.fail("org.example.Error.Asked", "as requested")
    case "Forget": break
    case "Never": unanswered.append(call)
    default: call.failUnknownMethod()
    }
  }
}

extension BusConnection {
  func echo(_ member: String = "Echo", _ body: [Value] = [], deadline: Duration = .seconds(25)) async throws -> [Value]
  {
    try await call(
      to: EchoService.name, path: EchoService.path, interface: EchoService.interface, member: member, body,
      deadline: deadline
    ).body()
  }
}

/// The process's open descriptors. The test runner may open and close a few at any time.
func descriptorCount() -> Int {
  guard let stream = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(stream) }
  var count = 0
  while readdir(stream) != nil { count += 1 }
  return count
}
