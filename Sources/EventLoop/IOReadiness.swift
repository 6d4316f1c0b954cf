import CLinux

/// The readiness of a descriptor. Plain flags, because an option set of another module is accessed through witness
/// tables.
public struct IOReadiness: Hashable, Sendable {
  public let readable: Bool
  public let writable: Bool
  public let hangup: Bool
  public let error: Bool

  init(epollEvents events: UInt32) {
    readable = events & EPOLLIN.rawValue != 0
    writable = events & EPOLLOUT.rawValue != 0
    hangup = events & EPOLLHUP.rawValue != 0
    error = events & EPOLLERR.rawValue != 0
  }
}
