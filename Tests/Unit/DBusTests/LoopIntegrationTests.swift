import DBus
import EventLoop
import Glibc
import PrivateBus
import Testing

@Suite("On its loop, a connection")
struct LoopIntegrationTests {
  /// Dispatches like a host program until `done`.
  func dispatch(_ loop: EventLoop, until done: () -> Bool) throws {
    while !done() {
      var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
      try #require(Glibc.poll(&poll, 1, 5000) == 1)
      try loop.dispatch()
    }
  }

  func connect(_ loop: EventLoop, _ bus: PrivateBus) throws -> BusConnection {
    let connection = BusConnection(loop, try BusAddress(bus.address))
    var ended = false
    loop.spawn {
      try? await connection.open()
      ended = true
    }
    try dispatch(loop) { ended }
    try #require(connection.isOpen)
    return connection
  }

  /// Calls `handler` for each signal of the interface x.y.
  func subscribe(_ connection: BusConnection, _ handler: @escaping () -> Void) throws -> Subscription {
    var subscription: Subscription?
    connection.loop.spawn {
      subscription = try? await connection.subscribe(MatchRule(interface: "x.y")) { _ in handler() }
    }
    try dispatch(connection.loop) { subscription != nil }
    return try #require(subscription)
  }

  @Test("causes no wake-ups when idle")
  func idle() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let connection = try connect(loop, bus)
    var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
    // The bus's signals about the new connection's name may still arrive.
    while Glibc.poll(&poll, 1, 50) == 1 { try loop.dispatch() }
    #expect(Glibc.poll(&poll, 1, 200) == 0)
    connection.close()
  }

  @Test("dispatches a message after everything that was posted before it was sent")
  func order() throws {
    let bus = try PrivateBus()
    let (loop, others) = (try EventLoop(), try EventLoop())
    let receiver = try connect(loop, bus)
    let sender = try connect(others, bus)
    var order: [String] = []
    let subscription = try subscribe(receiver) { order.append("signal") }
    loop.postHere { order.append("posted") }
    try sender.send(.signal(path: "/", interface: "x.y", member: "Z", destination: receiver.uniqueName ?? ""))
    // The bus replies to a later call after it has passed on the signal.
    var answered = false
    others.spawn {
      _ = try? await sender.requestName("x.y")
      answered = true
    }
    try dispatch(others) { answered }
    try loop.dispatch()
    #expect(order == ["posted", "signal"])
    subscription.cancel()
    sender.close()
    receiver.close()
  }

  @Test("is closed for the bus even if another process has a copy of its socket")
  func copied() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let watcher = try connect(loop, bus)
    let before = openSockets()
    let connection = try connect(loop, bus)
    let copies = try openSockets().filter { before[$0.key] == nil }.map { try SharedDescriptor(duplicating: $0.value) }
    try #require(copies.count == 1)
    let name = try #require(connection.uniqueName)
    connection.close()
    var isThere = true
    var asked = 0
    loop.spawn {
      while isThere, asked < 1000 {
        asked += 1
        let bus = "org.freedesktop.DBus"
        let answer = try? await watcher.call(
          to: bus, path: "/org/freedesktop/DBus", interface: bus, member: "NameHasOwner", [.string(name)]
        ).body()
        isThere = answer?.first?.asBool ?? false
      }
      asked = 1000
    }
    try dispatch(loop) { asked == 1000 }
    #expect(!isThere)
    watcher.close()
  }

  /// The open sockets by inode: an earlier test's socket may be closed late, and its number be used again.
  private func openSockets() -> [ino_t: Int32] {
    var sockets: [ino_t: Int32] = [:]
    for number in 0..<256 as Range<Int32> {
      var status = stat()
      if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { sockets[status.st_ino] = number }
    }
    return sockets
  }

  @Test("lets other work run during a flood of signals")
  func fair() throws {
    let bus = try PrivateBus()
    let loop = try EventLoop()
    let sender = try connect(loop, bus)
    let receiver = try connect(loop, bus)
    var received = 0
    let subscription = try subscribe(receiver) { received += 1 }
    for _ in 0..<2000 {
      try sender.send(
        .signal(path: "/", interface: "x.y", member: "Z", destination: receiver.uniqueName ?? ""))
    }
    var turns = 0
    var mostBetweenTurns = 0
    func work() {
      mostBetweenTurns = max(mostBetweenTurns, received - turns)
      turns = received
      if received < 2000 { loop.postHere(work) }
    }
    loop.postHere(work)
    try dispatch(loop) { turns >= 2000 }
    #expect(mostBetweenTurns <= 200)
    subscription.cancel()
    sender.close()
    receiver.close()
    loop.close()
  }

  @Test("fails to open without free descriptors, with a reason")
  func exhausted() async {
    await #expect(processExitsWith: .success) {
      let bus = try PrivateBus()
      let loop = try EventLoop()
      let address = try BusAddress(bus.address)
      var limit = rlimit(rlim_cur: 128, rlim_max: 128)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var hoard: [SharedDescriptor] = []
      while let descriptor = try? SharedDescriptor(duplicating: 0) { hoard.append(descriptor) }
      #expect(throws: SystemError(code: EMFILE, call: "epoll_create1")) { _ = try EventLoop() }
      // With no descriptor for the socket; with one, used and released by the first connection; with two.
      for spare in 0..<3 {
        if spare > 0 { hoard.removeLast().close() }
        var outcome: Result<Void, any Error>?
        let connection = BusConnection(loop, address)
        loop.spawn {
          do { outcome = .success(try await connection.open()) } catch { outcome = .failure(error) }
        }
        while outcome == nil {
          var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
          try #require(Glibc.poll(&poll, 1, 5000) == 1)
          try loop.dispatch()
        }
        if spare == 0 { #expect(throws: BusError.exhausted("descriptors")) { try outcome?.get() } }
        connection.close()
      }
      hoard = []
      let connection = BusConnection(loop, address)
      var opened = false
      loop.spawn {
        try? await connection.open()
        opened = true
      }
      while !opened { try loop.dispatch() }
      #expect(connection.isOpen)
      connection.close()
    }
  }
}
