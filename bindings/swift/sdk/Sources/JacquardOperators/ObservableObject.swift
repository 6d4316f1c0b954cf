import Foundation
import OpenCombine

/// An object whose `objectWillChange` is the same at each access. That of OpenCombine is another one each time if the
/// class has no `@Published` property, so that `send()` has no effect.
public protocol ObservableObject: OpenCombine.ObservableObject
where ObjectWillChangePublisher == ObservableObjectPublisher {}

extension ObservableObject {
  /// Delivers before a `@Published` property changes, and after `send()`.
  public var objectWillChange: ObservableObjectPublisher { Changes.publisher(of: self) }
}

/// The publishers of the objects that exist.
private final class Changes {
  private static let lock = NSRecursiveLock()
  nonisolated(unsafe) private static var all: [ObjectIdentifier: Changes] = [:]
  private weak var object: AnyObject?
  private let publisher = ObservableObjectPublisher()
  private var properties: [AnyCancellable] = []

  private init(_ object: AnyObject) {
    self.object = object
    var mirror = Mirror(reflecting: object) as Mirror?
    while let next = mirror {
      properties += next.children.compactMap { ($0.value as? Observed)?.observe(publisher) }
      mirror = next.superclassMirror
    }
  }

  static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
    lock.withLock {
      if let known = all[ObjectIdentifier(object)], known.object === object { return known.publisher }
      all = all.filter { $0.value.object != nil }
      let changes = Changes(object)
      all[ObjectIdentifier(object)] = changes
      return changes.publisher
    }
  }
}

private protocol Observed {
  func observe(_ publisher: ObservableObjectPublisher) -> AnyCancellable
}

extension Published: Observed {
  fileprivate func observe(_ publisher: ObservableObjectPublisher) -> AnyCancellable {
    var property = self
    return property.projectedValue.dropFirst().sink { [weak publisher] _ in publisher?.send() }
  }
}
