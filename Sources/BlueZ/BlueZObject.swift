import DBus

/// One interface of one object of org.bluez, in one life of bluetoothd: when it is removed, or bluetoothd goes, this is
/// gone for good, and a new one takes its place when it comes back.
public class BlueZObject {
  public let path: String
  public private(set) var isGone = false
  weak var mirror: Mirror?

  init(path: String, mirror: Mirror) {
    self.path = path
    self.mirror = mirror
  }

  func apply(_ changes: PropertyMap) {}
  func invalidate(_ property: String) {}

  func remove() { isGone = true }

  /// Takes over what a method's reply implies but BlueZ may not signal.
  func note(_ changes: PropertyMap) {
    apply(changes)
    mirror?.changes.send(.changed(self, Array(changes.keys)))
  }

  /// The object, unless it is gone: for conditions given to `Observers.until`.
  public func checkedPresent() throws -> Self {
    guard !isGone else { throw BlueZError.gone }
    return self
  }

  @discardableResult
  func call(
    _ interface: String, _ member: String, _ body: [Value] = [], deadline: Duration,
    takeEffect: @escaping () -> Void = {}
  ) async throws -> [Value] {
    guard !isGone, let mirror else { throw BlueZError.gone }
    return try await mirror.call(path, interface, member, body, deadline: deadline) { [weak self] _ in
      if self?.isGone == false { takeEffect() }
    }
  }
}
