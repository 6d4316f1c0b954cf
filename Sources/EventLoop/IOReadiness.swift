import CLinux

/// What a descriptor is ready for.
public struct IOReadiness: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let readable = IOReadiness(rawValue: 1)
  public static let writable = IOReadiness(rawValue: 2)
  public static let hangup = IOReadiness(rawValue: 4)
  public static let error = IOReadiness(rawValue: 8)

  init(epollEvents events: UInt32) {
    var readiness: IOReadiness = []
    if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if events & EPOLLHUP.rawValue != 0 { readiness.insert(.hangup) }
    if events & EPOLLERR.rawValue != 0 { readiness.insert(.error) }
    self = readiness
  }
}
