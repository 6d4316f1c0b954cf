import CLinux
import EventLoop
import Glibc

/// The right to be the host of one tag, until `leave`, the end of the process, or a successor that found this process
/// hanging.
public final class HostSeat {
  /// The most guests, including programs that have connected and said nothing.
  public static let mostGuests = 64
  private static let mostPerDispatch = 16
  /// After a lack of descriptors or memory.
  private static let acceptPause: Duration = .seconds(1)

  /// Higher for each host.
  public let epoch: UInt64
  /// The previous host; nil if there was none.
  public let predecessor: Predecessor?
  /// If set, later programs are refused for this reason. Present guests stay. If it is `exclusive`, no program takes the seat while
  /// this process runs, even if it hangs.
  public var refusal: Refusal? {
    didSet {
      record.isExclusive = refusal == .exclusive
      if !hasLeft, !isSuperseded { try? file.write(record) }
    }
  }
  /// Whether the tag is set up on its link. Recorded for a successor.
  public var isSetUp: Bool {
    get { record.isSetUp }
    set {
      guard newValue != record.isSetUp else { return }
      record.isSetUp = newValue
      if !hasLeft, !isSuperseded { try? file.write(record) }
    }
  }
  /// Whether another program has become the host.
  public private(set) var isSuperseded = false

  private let loop: EventLoop
  private let deadlines: SharingDeadlines
  private let files: MeetingFiles
  private let file: LockFile
  private var record: HostRecord
  private let bell: Bell
  private var listener: UnsharedDescriptor?
  private var watch: IOWatch?
  private var pause: LoopTimer?
  private var newcomers: [(channel: Channel, timer: LoopTimer)] = []
  private var guests: [Channel] = []
  private var onGuest: ((Channel) -> Void)?
  private var onSuperseded: (() -> Void)?
  private var hasLeft = false

  /// - Parameter file: holds the lock of `record.epoch`.
  init(
    _ record: HostRecord, _ predecessor: Predecessor?, _ files: MeetingFiles, _ file: LockFile, _ bell: Bell,
    _ listener: consuming UnsharedDescriptor, _ loop: EventLoop, _ deadlines: SharingDeadlines
  ) {
    epoch = record.epoch
    self.record = record
    self.predecessor = predecessor
    self.files = files
    self.file = file
    self.bell = bell
    self.listener = consume listener
    self.loop = loop
    self.deadlines = deadlines
    bell.onRing = { [weak self] in self?.checkSuccessor() }
  }

  deinit { leave() }

  public var hasGuests: Bool { !guests.isEmpty }

  /// Begins to accept guests. Call it as soon as the seat is taken: to a program that waits longer than
  /// `SharingDeadlines.welcome`, this process hangs.
  ///
  /// - Parameters:
  ///   - onGuest: a welcomed guest. Start its channel.
  ///   - onSuperseded: called once if another program has become the host. End what only a host may do, then `leave`.
  public func open(onGuest: @escaping (Channel) -> Void, onSuperseded: @escaping () -> Void) {
    guard !hasLeft else { return }
    self.onGuest = onGuest
    self.onSuperseded = onSuperseded
    if isSuperseded { return reportSuccessor() }
    watchListener()
    // For the time before the bell was created.
    checkSuccessor()
  }

  // MARK: The successor

  /// Records the last request ID for a successor: with `isWriting` before a packet is written to the tag, without it
  /// when the packet has been written, with `isSingleValue` if the packet is not divided; with `isAwaiting` until the tag has responded. Returns false if another program has
  /// become the host; then nothing must be written any more.
  @discardableResult
  public func announce(
    lastID: UInt32, isWriting: Bool, isSingleValue: Bool = false, isAwaiting: Bool = false
  ) -> Bool {
    note(lastID: lastID, isWriting: isWriting, isSingleValue: isSingleValue, isAwaiting: isAwaiting)
    // A successor records itself before it reads this: either it sees this packet, or this host sees the successor.
    return !hasLeft && !hasSuccessor()
  }

  /// The same when nothing is about to be written.
  public func note(lastID: UInt32, isWriting: Bool, isSingleValue: Bool = false, isAwaiting: Bool = false) {
    guard !hasLeft, !isSuperseded else { return }
    record.lastID = lastID
    record.isWriting = isWriting
    record.isSingleValue = isSingleValue
    record.isAwaiting = isAwaiting
    try? file.write(record)
  }

  /// Whether another program has become the host, even if the loop has not reported it yet.
  public func hasSuccessor() -> Bool {
    checkSuccessor()
    return isSuperseded
  }

  private func checkSuccessor() {
    guard !hasLeft, !isSuperseded, file.isSuperseded(epoch) else { return }
    isSuperseded = true
    // The listener stays: the successor sees its end.
    stopAccepting()
    for newcomer in newcomers { newcomer.channel.close() }
    reportSuccessor()
  }

  private func reportSuccessor() {
    guard let onSuperseded else { return }
    self.onSuperseded = nil
    loop.postHere { onSuperseded() }
  }

  // MARK: Guests

  private func watchListener() {
    pause = nil
    guard let descriptor = listener?.rawValue, watch == nil else { return }
    watch = try? loop.watch(descriptor, for: .readable) { [weak self] _ in self?.accept() }
    if watch == nil { pauseAccepting() }
  }

  private func stopAccepting() {
    watch?.cancel()
    pause?.cancel()
    (watch, pause) = (nil, nil)
  }

  /// The kernel reports waiting connections again and again.
  private func pauseAccepting() {
    stopAccepting()
    pause = loop.schedule(after: Self.acceptPause) { [weak self] in self?.watchListener() }
  }

  private func accept() {
    for _ in 0..<Self.mostPerDispatch {
      guard watch != nil, let listener = listener?.rawValue else { return }
      let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      let socket = UnsharedDescriptor(taking: accept4(listener, nil, nil, Int32(flags)))
      guard socket.rawValue >= 0 else {
        switch errno {
        case EAGAIN: return
        case EINTR, ECONNABORTED: continue
        default: return pauseAccepting()
        }
      }
      guard let peer = LocalSocket.ownPeer(socket.rawValue) else { continue }
      receive(Channel(socket, peer: peer, epoch: epoch, isGuest: false, loop: loop))
    }
  }

  private func receive(_ channel: Channel) {
    guard newcomers.count + guests.count < Self.mostGuests else { return refuse(channel, .full) }
    let timer = loop.schedule(after: deadlines.welcome) { [weak channel] in channel?.close() }
    newcomers.append((channel, timer))
    channel.onGone = { [weak self, weak channel] in self?.forget(channel) }
    channel.start(
      onMessage: { [weak self, weak channel] message in
        guard let self, let channel else { return }
        greet(channel, message)
      }, onEnd: { _ in })
  }

  private func greet(_ channel: Channel, _ message: Message) {
    guard case .hello(let version) = message else { return channel.close() }
    if let refusal = version == Message.version ? refusal : .version { return refuse(channel, refusal) }
    channel.pause()
    forget(channel)
    guests.append(channel)
    channel.send(.welcome(version: Message.version, epoch: epoch))
    onGuest?(channel)
  }

  private func refuse(_ channel: Channel, _ refusal: Refusal) {
    channel.send(.refused(refusal))
    channel.close()
  }

  private func forget(_ channel: Channel?) {
    for newcomer in newcomers where newcomer.channel === channel { newcomer.timer.cancel() }
    newcomers.removeAll { $0.channel === channel }
    guests.removeAll { $0 === channel }
  }

  // MARK: Leaving

  /// Ends the seat and the channels of its guests, which then choose a successor. Their `onEnd` is not called here.
  public func leave() {
    guard !hasLeft else { return }
    hasLeft = true
    stopAccepting()
    bell.close()
    (onGuest, onSuperseded) = (nil, nil)
    predecessor?.forget()
    // First the lock, so that a guest that sees the end can take it.
    file.unlock(epoch)
    if let descriptor = listener?.rawValue, let directory = try? files.directory.open() {
      _ = unlinkat(directory.rawValue, files.socket(epoch), 0)
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
    listener = nil
    for channel in newcomers.map(\.channel) + guests { channel.close() }
  }
}
