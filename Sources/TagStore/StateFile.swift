import EventLoop
import Glibc

/// `state.json`: read by any process at any time, changed by one process at a time, replaced as a whole.
///
/// The work is small and done synchronously on the loop's thread; only another process's lock is awaited.
public final class StateFile {
  static let version: UInt32 = 1
  /// The size of a thousand tags with a profile each; a larger file was not written by this library.
  static let largest = 1 << 20
  /// A change takes milliseconds; a process that holds the lock for longer has been stopped.
  private static let lockLimit: Duration = .seconds(5)
  /// The time between attempts to lock: waiting in `flock()` would block the loop.
  private static let pause: Duration = .milliseconds(20)

  private let loop: EventLoop
  private let directory: StateDirectory?
  private let warn: (String) -> Void
  /// The change that was requested last; each change waits for the previous one.
  private var last: Task<Void, Never>?

  /// - Parameter directory: nil if there is none: then no tags are known, and nothing can be stored.
  public init(_ loop: EventLoop, _ directory: StateDirectory?, warn: @escaping (String) -> Void) {
    self.loop = loop
    self.directory = directory
    self.warn = warn
  }

  private static func path(in directory: StateDirectory) -> String { directory.path + "/state.json" }

  /// The current state. A missing file means an empty state.
  public func read() throws(StateError) -> StoredState {
    guard let directory else { return StoredState() }
    return try read(directory)
  }

  /// Reports each change by any process; nil if the file cannot be watched.
  public func watch(_ onChange: @escaping () -> Void) -> FileWatch? {
    directory.flatMap { try? FileWatch(loop, Self.path(in: $0), seesAttributes: false, onChange) }
  }

  /// Changes the state and writes it, unless `body` changes nothing.
  ///
  /// - Parameters:
  ///   - replacesCorrupt: whether a file that cannot be parsed is set aside first, so that all known tags are lost.
  ///   - kept: runs as soon as it is written, before anything else on the loop.
  public func change<Answer>(
    replacesCorrupt: Bool = false, _ body: @escaping (inout StoredState) -> Answer,
    kept: @escaping (Answer) -> Void = { _ in }
  ) async throws(StateError) -> Answer {
    let before = last
    let end = loop.now.advanced(by: Self.lockLimit)
    let task = loop.spawn(returning: { [self] () throws(StateError) in
      await before?.value
      while true {
        do throws(StateError) {
          let answer = try changeNow(replacesCorrupt: replacesCorrupt, body)
          kept(answer)
          return answer
        } catch {
          guard case .locked = error, loop.now < end else { throw error }
          guard (try? await loop.sleep(Self.pause)) != nil else { throw .cancelled }
        }
      }
    })
    last = loop.spawn { _ = try? await task.value }
    return try await task.value
  }

  /// Changes the state without waiting.
  public func changeNow<Answer>(
    replacesCorrupt: Bool = false, _ body: (inout StoredState) -> Answer
  ) throws(StateError) -> Answer {
    guard let directory else { throw .noPlace }
    try directory.make()
    let lock = try StateLock(directory.path + "/state.lock")
    let old = replacesCorrupt ? try readOrSetAside(directory) : try read(directory)
    var new = old
    let answer = body(&new)
    if new != old { try write(new, directory) }
    lock.release()
    return answer
  }

  private func read(_ directory: StateDirectory) throws(StateError) -> StoredState {
    let path = Self.path(in: directory)
    guard let bytes = try FileContents.read(path, atMost: Self.largest) else { return StoredState() }
    guard let state = try? StoredState(jsonUTF8Bytes: bytes) else {
      throw Self.isUnderstoodInPart(bytes) ? .newer(path: path) : .corrupt(path: path, "it is not a state file in JSON")
    }
    guard state.version <= Self.version else { throw .newer(path: path) }
    return state
  }

  /// Whether the bytes are well-formed except for unknown fields.
  private static func isUnderstoodInPart(_ bytes: [UInt8]) -> Bool {
    (try? StoredState(jsonUTF8Bytes: bytes, ignoringUnknown: true)) != nil
  }

  private func readOrSetAside(_ directory: StateDirectory) throws(StateError) -> StoredState {
    do {
      return try read(directory)
    } catch .corrupt(let path, let why) {
      let aside = Self.freeName(path + ".corrupt-")
      guard rename(path, aside) == 0 else { throw .system(code: errno, path: aside) }
      warn("\(path) cannot be parsed: \(why). It was renamed to \(aside), and all known tags were discarded.")
      return StoredState()
    }
  }

  /// A name with a number that no other file has. Other processes wait for the lock, so none takes it meanwhile.
  private static func freeName(_ prefix: String) -> String {
    var number = 1
    while access(prefix + "\(number)", F_OK) == 0 { number += 1 }
    return prefix + "\(number)"
  }

  private func write(_ state: StoredState, _ directory: StateDirectory) throws(StateError) {
    var state = state
    state.version = Self.version
    let path = Self.path(in: directory)
    let bytes = state.jsonUTF8Bytes()
    guard bytes.count <= Self.largest else { throw .full(path: path) }
    do { try WholeFile.replace(path, with: bytes) } catch { throw .system(code: error.code, path: path) }
    FileContents.settle(directory.path)
  }
}

/// The right to replace the state, held during the lifetime of this value. The kernel releases it when its process
/// ends, however it ends.
struct StateLock: ~Copyable {
  private let descriptor: OwnedDescriptor

  init(_ path: String) throws(StateError) {
    descriptor = OwnedDescriptor(taking: open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600))
    guard descriptor.rawValue >= 0 else { throw .system(code: errno, path: path) }
    while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      throw errno == EWOULDBLOCK ? .locked(path: path) : .system(code: errno, path: path)
    }
  }

  consuming func release() {}
}
