import CLinux
import Glibc

/// Where a service may listen.
public struct ServicePlace: Equatable, Sendable {
  /// The path of a Unix socket, whether or not a service listens there.
  public let path: String
  /// Whether $JACQUARD_SERVICE names the place, so that a service that cannot be used there is an error.
  public let isRequired: Bool

  public init(_ path: String, isRequired: Bool = false) {
    self.path = path
    self.isRequired = isRequired
  }

  /// The socket of the system's service.
  public static let system = ServicePlace("/run/jacquard/socket")

  /// The places in the order in which they are tried: that of $JACQUARD_SERVICE alone, or the user's, then the
  /// system's. None if that variable is `off`.
  ///
  /// In a program that runs with more privileges than its caller, the environment is ignored.
  public static var all: [ServicePlace] {
    if let chosen = environment("JACQUARD_SERVICE") {
      return chosen == "off" ? [] : [ServicePlace(chosen, isRequired: true)]
    }
    return [user].compactMap { $0 } + [system]
  }

  /// The socket of the user's service.
  public static var user: ServicePlace? {
    (try? RuntimeDirectory.parent()).map { ServicePlace($0 + "/jacquard/socket") }
  }

  /// Reads an environment variable; nil if it is empty, or the program has more privileges than its caller.
  public static func environment(_ name: String) -> String? {
    guard let value = secure_getenv(name), value.pointee != 0 else { return nil }
    return String(validatingCString: value) ?? String(cString: value)
  }
}
