import EventLoop
import Glibc

/// The previous host of a tag.
public final class Predecessor {
  /// 0 if its record is unreadable.
  public let epoch: UInt64
  /// 0 if it is not known.
  public let process: Int32
  /// The last request ID that it announced, or that a host before it announced; 0 for none.
  public let lastID: UInt32
  /// Whether it, or a host before it, may have ended while a packet was being written. Also true if its record is unreadable.
  /// Once the link was dropped, call `HostSeat.announce` without `isWriting`: a successor learns this, too.
  public let wasWriting: Bool
  private let wasSingleValue: Bool
  /// Whether the tag may still respond to that request.
  public let wasAwaiting: Bool
  /// Whether it had set the tag up. Otherwise the tag may have reported to it what it reports once for each link.
  public let wasSetUp: Bool

  /// Whether its process, or that of a host before it, had not ended when it was replaced.
  public let wasRunning: Bool

  private let loop: EventLoop
  private var running: [HungHost]
  private var handlers: [() -> Void] = []

  /// - Parameters:
  ///   - record: nil if it is unreadable.
  ///   - wasRunning: whether the process of an earlier host has not ended.
  ///   - running: those of these hosts that can be observed.
  init(_ record: HostRecord?, wasRunning: Bool, running: [HungHost], _ loop: EventLoop) {
    epoch = record?.epoch ?? 0
    process = record?.process ?? 0
    lastID = record?.lastID ?? 0
    wasWriting = record?.isWriting ?? true
    wasSingleValue = record?.isSingleValue ?? false
    wasAwaiting = record?.isAwaiting ?? true
    wasSetUp = record?.isSetUp ?? false
    self.wasRunning = wasRunning
    self.running = running
    self.loop = loop
    for host in running { host.onEnd = { [weak self, weak host] in self?.ended(host) } }
  }

  /// Whether it, or an earlier host, still runs although it hangs. It ends its notification sessions before this becomes
  /// false.
  public var isRunning: Bool { !running.isEmpty }

  /// Whether it, or an earlier host, has ended, even if the loop has not reported it yet.
  public var hasEnded: Bool { !isRunning || running.contains(where: \.hasEnded) }

  /// Whether the tag may have received a part of a packet, or may receive a packet when a host that hangs continues. A
  /// process that has ended has passed a packet of a single value on to the bus, or nothing.
  public var mayDisturb: Bool { wasWriting && (!wasSingleValue || isRunning) }

  /// Calls `handler` once when `isRunning` becomes false; in a later dispatch if it is already.
  public func onEnd(_ handler: @escaping () -> Void) {
    handlers.append(handler)
    if !isRunning { loop.postHere { [self] in callHandlers() } }
  }

  private func ended(_ host: HungHost?) {
    running.removeAll { $0 === host }
    if !isRunning { callHandlers() }
  }

  private func callHandlers() {
    let present = handlers
    handlers = []
    for handler in present { handler() }
  }

  func forget() { (running, handlers) = ([], []) }
}

/// A host that has a successor although its process has not ended, seen through a connection that it will not accept: the
/// kernel ends it with the process, or when the host leaves its seat.
final class HungHost {
  private var socket: UnsharedDescriptor?
  private var watch: IOWatch?
  var onEnd: () -> Void = {}

  /// Nil if it has ended, or if it cannot be observed. Then the successor subscribes a second time, which causes copies.
  init?(_ epoch: UInt64, _ files: MeetingFiles, _ loop: EventLoop) {
    guard let found = try? LocalSocket.connect(files.socket(epoch), files.directory) else { return nil }
    let descriptor = found.rawValue
    socket = consume found
    watch = try? loop.watch(descriptor, for: []) { [weak self] _ in self?.ended() }
    if watch == nil { return nil }
  }

  deinit { watch?.cancel() }

  var hasEnded: Bool {
    guard let descriptor = socket?.rawValue else { return true }
    var state = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0
  }

  private func ended() {
    watch?.cancel()
    watch = nil
    socket = nil
    onEnd()
  }
}
