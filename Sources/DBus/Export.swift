/// An exported object or tree of objects. Ends with `cancel()` or with its last reference.
public final class Export {
  public let path: String
  private weak var connection: BusConnection?
  private let identity: UInt64

  init(_ path: String, _ identity: UInt64, _ connection: BusConnection) {
    self.path = path
    self.identity = identity
    self.connection = connection
  }

  deinit { cancel() }

  public func cancel() {
    _ = connection?.exports.remove(path, identity)
    connection = nil
  }
}
