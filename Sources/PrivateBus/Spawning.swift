import EventLoop

/// Creates child processes, one at a time in the whole program.
///
/// Until a child executes another program it has copies of all descriptors of this process: a socket that is closed
/// here in the meantime stays open for the peer.
public enum Spawning {
  /// Not `Void`: ThreadSanitizer mistakes a write of `Void` for a write of the object itself.
  private static let turn = Locked(true)

  /// Runs `body` while no child is being created.
  public static func excluded<Result: Sendable>(_ body: () -> Result) -> Result { turn.withLock { _ in body() } }
}
