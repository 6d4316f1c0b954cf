import Sharing

/// Announces each packet before it is written, so that a successor of this program knows the last request ID, whether the tag
/// may have received a part of a packet, and whether it may still respond.
final class WriteAnnouncement {
  private let seat: HostSeat
  private var writing = 0
  private var isAwaiting = false
  /// The ID of the request that is written next, or was written last.
  private(set) var lastID: UInt32

  /// Whether the tag's responses arrive through the sessions of an earlier host. A tag must not receive anything while no
  /// one is subscribed.
  var reliesOnPredecessor = false

  init(_ seat: HostSeat) {
    self.seat = seat
    lastID = seat.predecessor?.lastID ?? 0
  }

  /// This request is written next.
  func willRequest(_ id: UInt32) {
    lastID = id
    isAwaiting = true
  }

  /// The tag has responded to the request, or nothing more is expected.
  func landed() {
    guard isAwaiting else { return }
    isAwaiting = false
    note()
  }

  /// Returns an error if the packet must not be written.
  @discardableResult
  func announce(isSingleValue: Bool) -> JacquardError? {
    guard seat.announce(lastID: lastID, isWriting: true, isSingleValue: isSingleValue, isAwaiting: isAwaiting) else {
      return .superseded
    }
    // This program may have stood still when the earlier one ended.
    return reliesOnPredecessor && seat.predecessor?.hasEnded ?? true ? .hostEnded : nil
  }

  private func note() { seat.note(lastID: lastID, isWriting: writing > 0, isAwaiting: isAwaiting) }

  /// The same writes, announced. They fail if another program has become the host, also between two fragments, or if an earlier one
  /// no longer lends its sessions.
  func announcing(_ writer: PacketWriter) -> CommandQueue.Write {
    { [self] packet, overdue, completion in
      let isSingleValue = writing == 0 && writer.isSingleValue(packet)
      let refusal = { [self] in announce(isSingleValue: isSingleValue) }
      guard !isSingleValue else {
        writer.write(packet, overdue: overdue, refusal: refusal, completion: completion)
        // Otherwise it is not known until the tag responds.
        if writer.isPassedOn { note() }
        return
      }
      writing += 1
      writer.write(packet, overdue: overdue, refusal: refusal) { [self] result in
        writing -= 1
        if writing == 0 { note() }
        completion(result)
      }
    }
  }
}
