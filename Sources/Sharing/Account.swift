import EventLoop

/// The share of a service that one process has taken with all its channels, or one user with all processes, or all
/// users. More channels mean neither more turns nor more memory.
public final class Account {
  /// Documented in docs/guide.md.
  struct Limits {
    /// Channels that are admitted; the descriptor limit of the units is higher.
    var channels: Int
    /// Messages handled in one turn of the loop.
    var messages: Int
    /// Requests that wait for their turn or for the tag: each is a task, which occupies several kilobytes.
    var requests: Int
    /// The most memory of the messages that are kept for programs that do not read.
    var keptBytes: Int
    /// The memory of all sockets' buffers together, until each has little: a new one gets its share of this.
    var socketBytes: Int

    /// Enough for 20 programs with 60 tags each, and some more.
    static let ofAll = Limits(
      channels: 2048, messages: .max, requests: 1024, keptBytes: 16 << 20, socketBytes: 64 << 20)
    static let ofUser = Limits(
      channels: 1536, messages: 32, requests: 512, keptBytes: 8 << 20, socketBytes: 32 << 20)
    static let ofProcess = Limits(
      channels: 128, messages: 8, requests: 128, keptBytes: 1 << 20, socketBytes: 8 << 20)
  }

  private let loop: EventLoop
  private let limits: Limits
  private let parent: Account?
  /// Called when no channel is left.
  private let whenUnused: () -> Void
  private var channels = 0
  private var keptBytes = 0
  private var messages = 0
  private var requests = 0
  private var turn: UInt64 = 0
  /// Channels whose messages wait, in the order of their turns.
  fileprivate var waiting: [Channel] = []

  fileprivate init(_ loop: EventLoop, _ limits: Limits, _ parent: Account?, whenUnused: @escaping () -> Void = {}) {
    self.loop = loop
    self.limits = limits
    self.parent = parent
    self.whenUnused = whenUnused
  }

  /// Whether the channels that are open, a new one included, are within the limits.
  public var hasRoom: Bool { channels <= limits.channels && parent?.hasRoom ?? true }

  /// - Parameter process: the service's own.
  public func usage(process: Int32) -> ServiceMessage.Usage {
    let user = parent?.parent == nil ? self : parent
    return ServiceMessage.Usage(
      process: process, connections: UInt32(user?.parent?.channels ?? 0),
      connectionsOfUser: UInt32(user?.channels ?? 0),
      mostConnections: UInt32(Limits.ofAll.channels), mostConnectionsOfUser: UInt32(Limits.ofUser.channels),
      mostConnectionsOfProcess: UInt32(Limits.ofProcess.channels))
  }

  /// The share of one channel.
  var socketBytes: Int { min(limits.socketBytes / max(channels, 1), parent?.socketBytes ?? .max) }

  func opened() {
    channels += 1
    parent?.opened()
  }

  func closed() {
    channels -= 1
    parent?.closed()
    if channels == 0 { whenUnused() }
  }

  /// Adds to the occupied memory; a negative number frees memory. Returns whether the limits hold.
  @discardableResult
  func keep(_ bytes: Int) -> Bool {
    keptBytes += bytes
    let isWithinParent = parent?.keep(bytes) ?? true
    return isWithinParent && keptBytes <= limits.keptBytes
  }

  /// Returns whether the limits allow one more request; if so, call `endRequest` at its end.
  public func beginRequest() -> Bool {
    guard requests < limits.requests, parent?.beginRequest() ?? true else { return false }
    requests += 1
    return true
  }

  public func endRequest() {
    requests -= 1
    parent?.endRequest()
  }

  /// How many messages may still be handled in this turn of the loop.
  var turnsLeft: Int {
    if turn != loop.turns { (turn, messages) = (loop.turns, 0) }
    return min(limits.messages - messages, parent?.turnsLeft ?? .max)
  }

  /// How many messages of a channel that does not wait may be handled in this turn: waiting channels come first.
  var turnsAtOnce: Int { waiting.isEmpty ? turnsLeft : 0 }

  func handled() {
    messages += 1
    parent?.handled()
  }

  /// Handles one message of each waiting channel, again and again. Returns whether any channel had a turn.
  fileprivate func serve() -> Bool {
    var isServed = false
    while turnsLeft > 0, let channel = waiting.first {
      isServed = true
      waiting.removeFirst()
      if channel.takeTurn() { waiting.append(channel) }
    }
    return isServed
  }
}

/// The accounts of one service's programs. Those that send more than is handled in a turn of the loop have the next
/// turns in a circle, one process after the other.
final class Accounts {
  /// The pause before the next turn, so that a flood leaves the processor to the others: 8,000 messages of a process
  /// per second.
  private static let pause: Duration = .milliseconds(1)

  private let loop: EventLoop
  private let all: Account
  private var users: [UInt32: Account] = [:]
  private var processes: [Int32: Account] = [:]
  private var waiting: [Account] = []
  private var timer: LoopTimer?

  init(_ loop: EventLoop) {
    self.loop = loop
    all = Account(loop, .ofAll, nil)
  }

  /// Processes in other PID namespaces cannot be distinguished: they share the account of their user.
  func account(of peer: Peer) -> Account {
    let user = users[peer.user] ?? Account(loop, .ofUser, all) { [weak self] in self?.users[peer.user] = nil }
    users[peer.user] = user
    guard peer.process > 0 else { return user }
    let process =
      processes[peer.process]
      ?? Account(loop, .ofProcess, user) { [weak self] in self?.processes[peer.process] = nil }
    processes[peer.process] = process
    return process
  }

  func wait(_ channel: Channel, of account: Account) {
    if !waiting.contains(where: { $0 === account }) { waiting.append(account) }
    account.waiting.append(channel)
    serveLater()
  }

  func leave(_ channel: Channel, of account: Account) { account.waiting.removeAll { $0 === channel } }

  private func serveLater() {
    guard timer == nil, !waiting.isEmpty else { return }
    timer = loop.schedule(after: Self.pause) { [weak self] in self?.serve() }
  }

  /// The programs that had no turn are the first at the next call.
  private func serve() {
    timer = nil
    let all = waiting
    waiting = []
    var (passedOver, served): ([Account], [Account]) = ([], [])
    for account in all { if account.serve() { served.append(account) } else { passedOver.append(account) } }
    waiting = (passedOver + served + waiting).filter { !$0.waiting.isEmpty }
    serveLater()
  }
}
