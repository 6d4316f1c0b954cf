import CLinux

/// Reports the end of another process, by a pidfd.
public final class ProcessWatch {
  private var descriptor: UnsharedDescriptor?
  private var watch: IOWatch?

  /// Nil if the process cannot be watched: it has ended, it is in another PID namespace, or the kernel is older than
  /// 5.3.
  ///
  /// - Parameter ended: called once.
  public init?(_ process: Int32, _ loop: EventLoop, ended: @escaping () -> Void) {
    guard process > 0 else { return nil }
    let new = UnsharedDescriptor(taking: linux_pidfd_open(process))
    guard new.rawValue >= 0 else { return nil }
    let number = new.rawValue
    descriptor = consume new
    watch = try? loop.watch(number, for: .readable) { [weak self] _ in
      self?.cancel()
      ended()
    }
    if watch == nil { return nil }
  }

  deinit { cancel() }

  /// Stops watching and closes the pidfd. `ended` is not called afterwards.
  public func cancel() {
    watch?.cancel()
    watch = nil
    descriptor = nil
  }
}
