import BlueZ
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

/// Whether a link is of use although it is up: bluetoothd may not reply to a write, or may have replaced the tag's
/// services.
final class LinkHealth {
  /// Sent when `loss` is set.
  let changes = Observers<Void>()
  private(set) var loss: LinkLoss?
  private let bluez: BlueZClient
  private let life: LinkLife

  init(_ bluez: BlueZClient, _ life: LinkLife) {
    self.bluez = bluez
    self.life = life
  }

  /// Called if bluetoothd has not replied to a write within the limit of an ATT transaction: the link is useless,
  /// because the next write waits for this one. Returns false if bluetoothd does not respond at all; then it may still
  /// reply.
  func writeIsUnanswered() -> Bool {
    guard loss == nil, !life.hasEnded else { return true }
    guard case .running = bluez.availability else { return false }
    loss = .unacknowledged
    changes.send(())
    return true
  }
}
