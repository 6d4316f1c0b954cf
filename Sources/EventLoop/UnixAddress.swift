import Glibc

/// The address of a Unix socket.
public struct UnixAddress: Sendable {
  private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size

  private var address = sockaddr_un()
  private let length: socklen_t

  /// The address of a socket in the file system; nil if the path is too long.
  public init?(path: String) { self.init(bytes: Array(path.utf8) + [0]) }

  /// A name in the kernel's abstract namespace, which begins with NUL and ends with the address. Nil if it is too long.
  public init?(abstract name: String) { self.init(bytes: [0] + Array(name.utf8)) }

  /// Creates a socket that does not block and that a new program does not inherit; negative if that failed.
  public static func makeSocket(_ type: __socket_type) -> Int32 {
    Glibc.socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
  }

  private init?(bytes: [UInt8]) {
    guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    length = socklen_t(Self.pathOffset + bytes.count)
  }

  /// Passes the address and its length to `body`, as bind() and connect() expect them.
  public func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
