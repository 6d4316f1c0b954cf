import DBus

/// One interface of one object of org.bluez, during one lifetime of bluetoothd. When the object is removed or
/// bluetoothd ends, this becomes permanently invalid, and a new instance represents the object when it is exported
/// again.
public class BlueZObject {
  /// The D-Bus object path, such as `/org/bluez/hci0`.
  public let path: String
  /// Whether the object was removed, or its bluetoothd has ended. Never becomes false again.
  public private(set) var isGone = false
  weak var cache: ObjectCache?

  init(path: String, cache: ObjectCache) {
    self.path = path
    self.cache = cache
    devicePath = Self.devicePath(above: path)
  }

  func apply(_ property: String, _ value: Value) {}
  func invalidate(_ property: String) {}
  /// - Parameter properties: all that the object has.
  func invalidate(missingIn properties: PropertyMap) {}

  final func apply(_ changes: PropertyMap) {
    for (property, value) in changes { apply(property, value) }
  }

  /// The device of a service or characteristic; nil for other objects.
  let devicePath: String?

  func remove() { isGone = true }

  /// "/org/bluez/hci0/dev_…" for a path below it.
  private static func devicePath(above path: String) -> String? {
    let parts = path.split(separator: "/", maxSplits: 4)
    guard parts.count > 4 else { return nil }
    return "/" + parts.prefix(4).joined(separator: "/")
  }

  /// Stores a change that a method's reply implies but BlueZ may not signal.
  func note(_ changes: PropertyMap) {
    apply(changes)
    cache?.announce(.changed(self, Array(changes.keys)), self)
  }

  /// The object, unless it was removed: for conditions passed to `Observers.until`.
  func checkedPresent() throws(BlueZError) -> Self {
    guard !isGone else { throw .gone }
    return self
  }

  @discardableResult
  func call(
    _ interface: Interface, _ member: String, _ body: [Value] = [], deadline: Duration,
    takeEffect: @escaping () -> Void = {}
  ) async throws(BlueZError) -> [Value] {
    guard !isGone, let cache else { throw .gone }
    return try await cache.call(path, interface, member, body, deadline: deadline) { [weak self] _ in
      if self?.isGone == false { takeEffect() }
    }
  }
}
