import EventLoop

/// The making of child processes, one at a time in the whole program.
///
/// Until a child has become another program it holds copies of all descriptors of this one: a socket that is closed here
/// meanwhile stays open for whoever is at its other end.
public enum Spawning {
  /// Not `Void`: ThreadSanitizer takes a write of nothing for one of the object itself.
  private static let turn = Locked(true)

  /// Runs `body` while no child is being made.
  public static func excluded<Result>(_ body: () -> Result) -> Result { turn.withLock { _ in body() } }
}
