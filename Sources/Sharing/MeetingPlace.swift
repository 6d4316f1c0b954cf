import EventLoop
import Glibc

/// What a program is for one tag.
public enum Role {
  case host(HostSeat)
  case guest(Channel)
}

/// Where the programs that use one tag on one bus choose the one that connects to it.
///
/// Hosts are numbered by epochs. The program that gets the lock of the next epoch is the host; the others connect to its socket.
/// A host that leaves or ends releases its lock. A host that hangs keeps it, and the next epoch begins all the same.
public final class MeetingPlace {
  private let files: MeetingFiles
  private let loop: EventLoop
  private let deadlines: SharingDeadlines

  /// - Parameters:
  ///   - bus: its ID, which is different for each instance of a bus.
  ///   - tag: its identifier.
  public init(
    _ directory: RuntimeDirectory, bus: String, tag: String, loop: EventLoop,
    deadlines: SharingDeadlines = SharingDeadlines()
  ) {
    files = MeetingFiles(directory, bus: bus, tag: tag)
    self.loop = loop
    self.deadlines = deadlines
  }

  /// The latest epoch, and whether its host has its lock, so its process runs.
  private struct Standing {
    var epoch: UInt64
    var isHeld: Bool
  }

  /// The process of the current host; nil if there is none. Does not disturb it. 0 if the process is not known.
  public func currentHost() throws(SharingError) -> Int32? {
    let file: LockFile
    do throws(SharingError) {
      file = try LockFile(files, canCreate: false)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    let standing = try standing(file)
    guard standing.isHeld else { return nil }
    return try file.records().hosts.first { $0.epoch == standing.epoch }?.process ?? 0
  }

  /// A host that has not recorded itself yet, or whose record was destroyed, still has its lock.
  @inline(never)
  private func standing(_ file: LockFile) throws(SharingError) -> Standing {
    let recorded = try file.records().hosts.last?.epoch ?? 0
    // The last one's own lock, too.
    if let held = try file.highestHeld(above: max(recorded, 1) - 1) { return Standing(epoch: held, isHeld: true) }
    return Standing(epoch: recorded, isHeld: false)
  }

  // MARK: Entering

  /// Becomes the host if there is none or if it hangs; otherwise a guest of the host.
  ///
  /// - Parameter hung: the epoch of a host that did not accept a request in time. Unless it has a successor already,
  ///   this program becomes the successor, without asking that host again.
  public func enter(past hung: UInt64? = nil) async throws(SharingError) -> Role {
    let end = loop.now.advanced(by: deadlines.entry)
    var hung = hung ?? 0
    var absence = Absence()
    // Before the lock file is read, so that no ring is missed.
    let bell = try Bell(files, loop)
    let file = try LockFile(files)
    repeat {
      let standing = try standing(file)
      if !standing.isHeld || standing.epoch <= hung {
        if let seat = try takeSeat(after: standing.epoch, file, bell) { return .host(seat) }
        // Another program was faster. The file is read again when it rings, or soon.
        try await ring(bell, within: Absence.first)
        if Task.isCancelled { throw .cancelled }
        continue
      }
      switch try await ask(standing.epoch, file, bell) {
      case .welcomed(let channel):
        follow(channel, bell)
        return .guest(channel)
      case .refused(let refusal, let process): throw .refused(refusal, by: process)
      case .replaced: break
      case .silent:
        try checkExclusive(standing.epoch, file)
        hung = standing.epoch
      case .absent:
        guard let pause = absence.pause(standing.epoch, now: loop.now, limit: deadlines.start) else {
          try checkExclusive(standing.epoch, file)
          hung = standing.epoch
          continue
        }
        try await ring(bell, within: pause)
      }
      if Task.isCancelled { throw .cancelled }
    } while loop.now < end
    throw .unsettled
  }

  /// A program that does not share a tag keeps it, even if it dispatches its loop rarely.
  @inline(never)
  private func checkExclusive(_ epoch: UInt64, _ file: LockFile) throws(SharingError) {
    guard let host = try file.records().hosts.first(where: { $0.epoch == epoch }), host.isExclusive else { return }
    throw .refused(.exclusive, by: host.process)
  }

  /// Returns when the bell rings, or after this time.
  private func ring(_ bell: Bell, within limit: Duration) async throws(SharingError) {
    let rang = Completion<Void, SharingError>()
    bell.onRing = { rang.succeed(()) }
    let timer = loop.schedule(after: limit) { rang.succeed(()) }
    defer {
      timer.cancel()
      bell.onRing = {}
    }
    try await rang.value()
  }

  // MARK: The host

  /// Nil if another program has the next epoch, or a later one.
  private func takeSeat(after previous: UInt64, _ file: LockFile, _ bell: Bell) throws(SharingError) -> HostSeat? {
    let epoch = previous + 1
    guard epoch < HostRecord.highestEpoch else { throw .system(code: EOVERFLOW, call: "fcntl") }
    guard try file.lock(epoch) else { return nil }
    do throws(SharingError) {
      // This process may have been stopped since it read the file.
      let later = try file.highestHeld(above: epoch)
      guard later == nil, !file.isSuperseded(previous) else {
        file.unlock(epoch)
        return nil
      }
      let listener = try LocalSocket.listen(files.socket(epoch), files.directory)
      let held = try file.held(below: epoch)
      let records = try file.records()
      for offset in records.damaged { try file.clear(offset) }
      let isUnknown = !records.damaged.isEmpty || records.hosts.isEmpty && !held.isEmpty
      // Until this host announces something itself, its successor needs to know what this one knows.
      try file.write(Self.record(epoch, after: isUnknown ? nil : records.hosts.last, isUnknown))
      // Read again: see `HostSeat.announce`.
      let previous = isUnknown ? nil : try file.records().hosts.last { $0.epoch < epoch }
      let record = Self.record(epoch, after: previous, isUnknown)
      try file.write(record)
      try removeSockets(of: records.hosts, except: held)
      let running = held.compactMap { HungHost($0, files, loop) }
      let predecessor =
        previous == nil && !isUnknown
        ? nil : Predecessor(previous, wasRunning: !held.isEmpty, running: running, loop)
      Bell.ring(files)
      return HostSeat(record, predecessor, files, file, bell, listener, loop, deadlines)
    } catch {
      // Without a record of this epoch, no successor would remove it.
      if let directory = try? files.directory.open() { _ = unlinkat(directory.rawValue, files.socket(epoch), 0) }
      file.unlock(epoch)
      throw error
    }
  }

  /// - Parameter isUnknown: whether the previous host's record may have been damaged.
  private static func record(_ epoch: UInt64, after previous: HostRecord?, _ isUnknown: Bool) -> HostRecord {
    HostRecord(
      epoch: epoch, process: getpid(), lastID: previous?.lastID ?? 0, isWriting: previous?.isWriting ?? isUnknown,
      isSingleValue: previous?.isSingleValue ?? false, isAwaiting: previous?.isAwaiting ?? isUnknown)
  }

  /// Those that hosts left when they were killed.
  private func removeSockets(of hosts: [HostRecord], except held: [UInt64]) throws(SharingError) {
    let directory = try files.directory.open()
    for host in hosts where !held.contains(host.epoch) {
      _ = unlinkat(directory.rawValue, files.socket(host.epoch), 0)
    }
  }

  // MARK: The guest

  private enum Greeting {
    case welcomed(Channel)
    case refused(Refusal, Int32)
    /// It accepts no guests yet, or no longer.
    case absent
    /// It hangs.
    case silent
    /// It has a successor.
    case replaced
  }

  private func ask(_ epoch: UInt64, _ file: LockFile, _ bell: Bell) async throws(SharingError) -> Greeting {
    guard let socket = try LocalSocket.connect(files.socket(epoch), files.directory) else { return .absent }
    guard let peer = LocalSocket.ownPeer(socket.rawValue) else { throw .system(code: EPERM, call: "SO_PEERCRED") }
    let channel = Channel(socket, peer: peer, epoch: epoch, isGuest: true, loop: loop)
    let answered = Completion<Greeting, SharingError>()
    channel.start(
      onMessage: { [unowned channel] message in
        switch message {
        case .welcome(Message.version, epoch):
          channel.pause()
          answered.succeed(.welcomed(channel))
        case .refused(let refusal): answered.succeed(.refused(refusal, peer))
        default: answered.succeed(.refused(.version, peer))
        }
      }, onEnd: { _ in answered.succeed(.absent) })
    channel.send(.hello(version: Message.version))
    let timer = loop.schedule(after: deadlines.welcome) { [unowned channel] in
      // If this process was stopped itself, the host's message is waiting here.
      channel.receivePending()
      answered.succeed(.silent)
    }
    bell.onRing = { if file.isSuperseded(epoch) { answered.succeed(.replaced) } }
    defer {
      timer.cancel()
      bell.onRing = {}
    }
    do throws(SharingError) {
      let greeting = try await answered.value()
      if case .welcomed = greeting { return greeting }
      channel.close()
      return greeting
    } catch {
      channel.close()
      throw error
    }
  }

  /// A guest that only listens would not notice that its host hangs and has a successor.
  private func follow(_ channel: Channel, _ bell: Bell) {
    let check = { [weak channel, files] in
      guard let channel, let file = try? LockFile(files), file.isSuperseded(channel.epoch) else { return }
      channel.supersede()
    }
    channel.bell = bell
    bell.onRing = check
    check()
  }
}

/// How long a host has not been reachable.
private struct Absence {
  static let first: Duration = .milliseconds(1)
  private static let longest: Duration = .milliseconds(128)

  private var epoch: UInt64 = 0
  private var end: LoopInstant?
  private var next = first

  /// The pause before the next attempt; nil if it was absent for longer than `limit`.
  mutating func pause(_ epoch: UInt64, now: LoopInstant, limit: Duration) -> Duration? {
    if epoch != self.epoch { self = Absence(epoch: epoch, end: now.advanced(by: limit)) }
    guard let end, now < end else { return nil }
    defer { next = min(next + next, Self.longest) }
    return next
  }

  init() {}

  private init(epoch: UInt64, end: LoopInstant) {
    self.epoch = epoch
    self.end = end
  }
}
