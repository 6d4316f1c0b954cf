import EventLoop

/// Whether a link has ended. What belongs to the link observes this, and ends in the order in which it was created.
final class LinkLife {
  /// Sent once, with the reason.
  let ends = Observers<JacquardError>()
  private(set) var endedBy: JacquardError?

  var hasEnded: Bool { endedBy != nil }

  /// The link is lost, or about to be dropped. Fails everything that uses it, now and in the future.
  func end(_ error: JacquardError) {
    guard endedBy == nil else { return }
    endedBy = error
    ends.send(error)
    ends.removeAll()
  }
}
