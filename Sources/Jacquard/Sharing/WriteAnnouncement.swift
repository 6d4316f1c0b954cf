import Sharing

/// Announces each packet before it is written, so that a successor of this program knows the last request ID, and whether
/// the tag may have received a part of a packet.
final class WriteAnnouncement {
  private let seat: HostSeat
  private var writing = 0
  /// The ID of the request that is written next, or was written last.
  var lastID: UInt32

  init(_ seat: HostSeat) {
    self.seat = seat
    lastID = seat.predecessor?.lastID ?? 0
  }

  /// Returns false if another program has become the host.
  @discardableResult
  func announce() -> Bool { seat.announce(lastID: lastID, isWriting: true) }

  /// The same writes, announced. They fail if another program has become the host.
  func announcing(_ write: @escaping CommandQueue.Write) -> CommandQueue.Write {
    { [self] packet, overdue, completion in
      guard announce() else { return completion(.failure(.superseded)) }
      writing += 1
      write(packet, overdue) { [self] result in
        writing -= 1
        if writing == 0 { seat.announce(lastID: lastID, isWriting: false) }
        completion(result)
      }
    }
  }
}
