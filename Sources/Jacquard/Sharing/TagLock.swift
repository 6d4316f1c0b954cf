import EventLoop
import Glibc
import Sharing

/// The lock on a tag: among all programs on a bus that use this library, one at a time has the link. A service takes it
/// like any other program.
///
/// For programs of one user it is a locked file in the runtime directory. A name in the kernel's abstract namespace
/// shows other users that the tag is used. Anyone can take that name, so it excludes no program unless the kernel
/// reports that this user or root has it.
final class TagLock {
  /// The time between the sign that the lock is released, and its release.
  private static let settleTime: Duration = .milliseconds(10)
  /// A program that has taken the name listens within this time, usually at once; also the pause between two attempts
  /// without a watch.
  private static let bindingTime: Duration = .milliseconds(100)

  private let loop: EventLoop
  /// Nil if there is none; then the name counts for programs of this user, too.
  private let directory: RuntimeDirectory?
  private var file: TagLockFile?
  private var name: OwnedDescriptor?
  private var bus: String?
  private var identifier: TagIdentifier?

  init(_ loop: EventLoop, _ directory: RuntimeDirectory?) {
    self.loop = loop
    self.directory = directory
  }

  var isHeld: Bool { file != nil || name != nil }

  /// Waits for a program that is about to release the tag. A new instance of the bus is a different bus; its programs
  /// must be asked again.
  func take(
    _ identifier: TagIdentifier, on bus: String, within limit: Duration
  ) async throws(JacquardError) {
    if isHeld, self.bus == bus, self.identifier == identifier { return }
    release()
    self.identifier = identifier
    let end = loop.now.advanced(by: limit)
    if let directory { try await takeFile(TagLockFile(directory, bus: bus, tag: identifier.text), until: end) }
    self.bus = bus
    if file == nil { return try await takeName(until: end, waitsForOthers: false) }
    name = try abstractName().bind()
  }

  /// Waits for a program of another user: the link is in use, and no program of this user has the lock. If that program
  /// does not release it, this program continues without the name.
  func awaitOtherUser(within limit: Duration) async throws(JacquardError) {
    if name == nil { try await takeName(until: loop.now.advanced(by: limit), waitsForOthers: true) }
  }

  /// Returns when `isOver` succeeds, or when the program of this user that has the tag releases it or ends: the kernel
  /// closes the file of a process that was killed. Returns false at once if no such program has it, or its file cannot
  /// be watched.
  func awaitRelease(
    of identifier: TagIdentifier, on bus: String, or isOver: Completion<Void, JacquardError>
  ) async -> Bool {
    guard file == nil, let directory else { return false }
    let others = TagLockFile(directory, bus: bus, tag: identifier.text)
    guard others.isTaken,
      let watch = try? FileWatch(loop, others.path, seesAttributes: false, { isOver.succeed(()) })
    else { return false }
    defer { watch.cancel() }
    // It may have been released before it was watched.
    if others.isTaken { try? await isOver.value() }
    try? await loop.sleep(Self.settleTime)
    return true
  }

  func release() {
    name = nil
    // Last: other programs wait for it, and then show the name.
    file = nil
  }

  /// Continues without the lock if the file cannot be used, as on a full disk.
  private func takeFile(_ new: TagLockFile, until end: LoopInstant) async throws(JacquardError) {
    var watch: FileWatch?
    defer { watch?.cancel() }
    var change = Completion<Void, JacquardError>()
    while let isTaken = try? new.take() {
      if isTaken {
        file = new
        return
      }
      guard loop.now < end else { throw .inUse(by: new.holder) }
      // It may have been released before it was watched.
      guard watch != nil else {
        watch = try? FileWatch(loop, new.path) { change.succeed(()) }
        new.ask()
        // The user may have too many watches.
        if watch == nil { try await wait(for: Completion(), until: min(end, loop.now.advanced(by: Self.bindingTime))) }
        continue
      }
      try await wait(for: change, until: end)
      change = Completion()
      try await wait(for: Completion(), until: min(end, loop.now.advanced(by: Self.settleTime)))
    }
  }

  /// Returns at `end` even without the change.
  private func wait(for change: Completion<Void, JacquardError>, until end: LoopInstant) async throws(JacquardError) {
    let timer = loop.schedule(after: max(.zero, loop.now.duration(to: end))) { change.succeed(()) }
    defer { timer.cancel() }
    try await change.value()
    try JacquardError.checkCancellation()
  }

  private func abstractName() throws(JacquardError) -> AbstractName {
    try AbstractName("jacquard/\(bus ?? "")/\(identifier?.text ?? "")")
  }

  /// Returns without the name if another user has it.
  ///
  /// - Parameter waitsForOthers: whether to wait until another user releases the name.
  private func takeName(until end: LoopInstant, waitsForOthers: Bool) async throws(JacquardError) {
    let name = try abstractName()
    var holder: Peer?
    var isAskedAgain = false
    while true {
      if let socket = try name.bind() {
        self.name = consume socket
        return
      }
      guard loop.now < end else {
        guard let holder, counts(holder) else { return }
        throw .inUse(by: holder.process > 0 ? holder.process : nil)
      }
      guard let connection = try name.connect(), let peer = Peer(of: connection.rawValue) else {
        // Released in the meantime, or not listening yet.
        guard !isAskedAgain else { return }
        isAskedAgain = true
        try await wait(for: Completion(), until: min(end, loop.now.advanced(by: Self.bindingTime)))
        continue
      }
      guard counts(peer) || waitsForOthers else { return }
      holder = peer
      let released = Completion<Void, JacquardError>()
      let watch = try? loop.watch(connection.rawValue, for: []) { _ in
        holder = nil
        released.succeed(())
      }
      defer { watch?.cancel() }
      try await wait(for: released, until: end)
      // A program may end each connection at once.
      try await wait(for: Completion(), until: min(end, loop.now.advanced(by: Self.settleTime)))
    }
  }

  private func counts(_ holder: Peer) -> Bool { holder.user == geteuid() || holder.user == 0 }
}
