import BlueZ
import JacquardWire

/// What a connection's tag reports by itself. It outlives links; each link feeds it.
///
/// What arrives before the connection is announced is kept and delivered right after, so that a subscriber sees
/// "connected" first and loses nothing.
public final class Notifications {
  /// The tag's own queue holds 14; a set-up takes about a second.
  private static let mostKept = 64

  public let battery = Observers<Battery>()
  /// The last one of the running link.
  public private(set) var lastBattery: Battery?

  private let log: Log
  private var kept: [WireNotification]? = []

  init(log: Log) { self.log = log }

  /// A new link: nothing of the old one holds any more.
  func linkBegins() {
    kept = []
    lastBattery = nil
  }

  /// The connection has been announced.
  func linkIsReady() {
    let backlog = kept ?? []
    kept = nil
    for notification in backlog { deliver(notification) }
  }

  func receive(_ packet: UnsafeRawBufferPointer) {
    guard let notification = try? WireNotification(packet: packet) else {
      return log(.warning, .wire, "dropped a notification of \(packet.count) bytes that does not decode")
    }
    guard kept != nil else { return deliver(notification) }
    if kept?.count == Self.mostKept {
      log(.warning, .wire, "dropped the oldest of \(Self.mostKept) notifications that came during set-up")
      kept?.removeFirst()
    }
    kept?.append(notification)
  }

  /// The payload that is present decides, not domain and opcode.
  private func deliver(_ notification: WireNotification) {
    if notification.hasBatteryStatusNotification, let value = Battery(notification.batteryStatusNotification) {
      lastBattery = value
      battery.send(value)
    }
  }
}
