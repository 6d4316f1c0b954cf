import EventLoop

/// What a program is for one tag.
public enum Role {
  case host(HostSeat)
  case guest(Channel)
}

/// Where the programs that use one tag on one bus choose the one that connects to it.
public final class MeetingPlace {
  /// - Parameters:
  ///   - bus: its ID, which is different for each instance of a bus.
  ///   - tag: its identifier.
  public init(
    _ directory: RuntimeDirectory, bus: String, tag: String, loop: EventLoop,
    deadlines: SharingDeadlines = SharingDeadlines()
  ) {}

  /// Becomes the host if there is none or if it hangs; otherwise a guest of the host.
  ///
  /// - Parameter hung: the epoch of a host that did not accept a request in time. Unless it has a successor already,
  ///   this program becomes the successor, without asking that host again.
  public func enter(past hung: UInt64? = nil) async throws(SharingError) -> Role { throw .unsettled }

  /// The process of the current host; nil if there is none. Does not disturb it. 0 if the process is not known.
  public func currentHost() throws(SharingError) -> Int32? { nil }
}
