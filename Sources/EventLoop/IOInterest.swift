import CLinux

/// The events to wait for on a descriptor. Hang-up and error are always reported.
public struct IOInterest: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let readable = IOInterest(rawValue: 1)
  public static let writable = IOInterest(rawValue: 2)

  var epollEvents: UInt32 {
    (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
  }
}
