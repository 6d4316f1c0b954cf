import EventLoop
import Sharing

/// Where a connection asks which program has the link to its tag.
final class Meeting {
  enum Outcome {
    /// This program has the link, and shares it with no one.
    case alone
    case host(HostSeat, isExclusive: Bool)
    /// Another program has the link.
    case guest(Channel)
  }

  /// The epoch of a host that does not respond; it is not asked again.
  var hungEpoch: UInt64?
  private let core: Core
  private let identifier: TagIdentifier
  private let tagLock: TagLock
  private var place: (bus: String, place: MeetingPlace)?
  /// Set if programs cannot meet here.
  private var isOff = false

  init(_ core: Core, _ identifier: TagIdentifier, _ tagLock: TagLock) {
    self.core = core
    self.identifier = identifier
    self.tagLock = tagLock
  }

  /// Whether programs may share the tag.
  var isPossible: Bool {
    guard !isOff else { return false }
    switch core.sharing {
    case .off: return false
    case .on: return true
    case .impossible(let reason):
      isOff = true
      // Usual in containers, where no other program exists.
      core.log(.info, .link, "\(identifier.text) is not shared with other programs: \(reason)")
      return false
    }
  }

  /// - Parameters:
  ///   - bus: its ID.
  ///   - mayWait: whether to wait for a program that refuses to share and is about to release the tag.
  func enter(on bus: String, mayWait: Bool = true) async throws(JacquardError) -> Outcome {
    guard case .on(let directory, let isExclusive) = core.sharing else { return .alone }
    do throws(SharingError) {
      let hung = hungEpoch
      hungEpoch = nil
      switch try await meetingPlace(directory, bus).enter(past: hung) {
      case .host(let seat): return .host(seat, isExclusive: isExclusive)
      case .guest(let channel):
        guard isExclusive else { return .guest(channel) }
        channel.close()
        throw .refused(.exclusive, by: channel.peer)
      }
    } catch {
      switch error {
      case .system, .noDirectory:
        // What else fails may work later, for example when a full file system has room again.
        if case .noDirectory = error { isOff = true }
        core.log(.warning, .link, "\(identifier.text) is not shared with other programs: \(error.message)")
        return .alone
      case .refused(.exclusive, _) where mayWait:
        try await tagLock.take(on: bus, within: core.deadlines.linkDown, isUsed: true)
        tagLock.release()
        return try await enter(on: bus, mayWait: false)
      default: throw JacquardError(error)
      }
    }
  }

  private func meetingPlace(_ directory: RuntimeDirectory, _ bus: String) -> MeetingPlace {
    if let place, place.bus == bus { return place.place }
    let new = MeetingPlace(directory, bus: bus, tag: identifier.text, loop: core.loop)
    place = (bus, new)
    return new
  }
}
