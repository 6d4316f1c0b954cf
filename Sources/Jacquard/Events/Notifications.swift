import BlueZ
import EventLoop
import JacquardWire

/// A gesture as delivered.
public struct GestureEvent: Equatable, Sendable {
  public let gesture: Gesture
  /// bluetoothd may have signalled the previous gesture again for another program's subscription (`CopyFilter`).
  public let mayBeCopy: Bool
  /// When this process or the service received it, in nanoseconds of CLOCK_BOOTTIME.
  public let arrival: Int64

  init(_ gesture: Gesture, mayBeCopy: Bool, arrival: Int64) {
    self.gesture = gesture
    self.mayBeCopy = mayBeCopy
    self.arrival = arrival
  }
}

/// A touch sample as delivered.
public struct TouchEvent: Sendable {
  public let frame: TouchFrame
  /// When this process or the service received it, in nanoseconds of CLOCK_BOOTTIME.
  public let arrival: Int64
}

/// The events of a connection's tag. They outlive links; each link feeds them.
///
/// Events that arrive before the connection is announced are queued and delivered immediately after, so that a
/// subscriber sees "connected" first and misses nothing.
public final class Notifications {
  /// The tag's queue holds 14; set-up takes about a second.
  private static let mostKept = 64

  /// Sends each battery report of the tag.
  public let battery = Observers<Battery>()
  /// Sends each gesture; an event says whether it may be a copy of the previous one.
  public let gestures = Observers<GestureEvent>()
  /// Sends touch samples while the gear is in continuous mode.
  public let touches = Observers<TouchEvent>()
  /// Sends each notification, whether or not it is also sent decoded.
  public let packets = Observers<ReceivedPacket>()
  /// Sends the packets that the service passes on unchanged: all except reports about gear, which it sends when gear is
  /// ready.
  let relayedPackets = Observers<ReceivedPacket>()
  /// Sends the tag's reports about work that takes longer than a request.
  public let workReports = WorkReports()
  /// The data of the raw data characteristic.
  public let raw = RawData()
  /// Sent instead of a packet that is damaged.
  let losses = Observers<Void>()
  /// Values that were recognised as copies for other programs, and values for which that is uncertain.
  let copies = Observers<(dropped: UInt64, doubtful: UInt64)>()

  /// The last value on the current link.
  public private(set) var lastBattery: Battery?
  /// The last packet about gear on the current link.
  private(set) var lastAttachment: [UInt8]?
  /// Counts what is received and dropped.
  public let statistics: Statistics

  let log: TagLog
  private var kept: [(bytes: [UInt8], mayBeCopy: Bool, arrival: Int64)]? = []
  /// Whether sharing has been reported on this link.
  private var isSharingReported = false

  init(log: TagLog, statistics: Statistics) {
    self.log = log
    self.statistics = statistics
  }

  /// Called for a new link: discards the state of the old one.
  func linkBegins() {
    kept = []
    lastBattery = nil
    lastAttachment = nil
    isSharingReported = false
  }

  /// Called after the connection has been announced.
  func linkIsReady() {
    let backlog = kept ?? []
    kept = nil
    for (bytes, mayBeCopy, arrival) in backlog {
      bytes.withUnsafeBytes { deliver(ReceivedPacket($0, mayBeCopy: mayBeCopy, arrival: arrival)) }
    }
  }

  /// Called when the connection has ended.
  func removeAllObservers() {
    battery.removeAll()
    gestures.removeAll()
    touches.removeAll()
    packets.removeAll()
    relayedPackets.removeAll()
    losses.removeAll()
    copies.removeAll()
    workReports.removeAllObservers()
    raw.removeAllObservers()
  }

  func receive(_ packet: ReceivedPacket) {
    guard kept != nil else { return deliver(packet) }
    if kept?.count == Self.mostKept {
      drop("the oldest of \(Self.mostKept) notifications received during set-up")
      kept?.removeFirst()
    }
    kept?.append((Array(packet.bytes), packet.mayBeCopy, packet.arrival))
  }

  func receiveRaw(_ payload: UnsafeRawBufferPointer) {
    statistics.countRawPacket()
    raw.packets.send(payload)
  }

  func dropped(_ count: Int, from characteristic: String, isEvent: Bool, because error: FragmentError) {
    statistics.countDroppedFragment()
    log(.warning, .wire, "dropped \(count) bytes on \(characteristic): \(error.rawValue)")
    if isEvent { losses.send(()) }
  }

  /// bluetoothd signals each value once more for every other subscribed program.
  func sharedWithOthers(_ dropped: UInt64, _ doubtful: UInt64, sessions: Int) {
    statistics.countShared(dropped: dropped, doubtful: doubtful)
    copies.send((dropped, doubtful))
    guard !isSharingReported else { return }
    isSharingReported = true
    log(
      .warning, .link,
      "another program is subscribed to the tag's notifications, so bluetoothd reports each value several times; "
        + "copies are dropped, but after that program has subscribed or made a call a value may be delivered twice")
  }

  private func drop(_ what: @autoclosure () -> String) {
    statistics.countDroppedNotification()
    log(.warning, .wire, "dropped \(what())")
  }

  private func deliver(_ packet: ReceivedPacket) {
    if let frequent = FrequentNotification(packet: packet.bytes) {
      statistics.countNotification()
      packets.send(packet)
      relayedPackets.send(packet)
      return deliver(frequent, packet)
    }
    guard let notification = try? WireNotification(packet: packet.bytes) else {
      drop("a notification of \(packet.bytes.count) bytes that cannot be decoded")
      return losses.send(())
    }
    statistics.countNotification()
    packets.send(packet)
    if notification.hasAttached { lastAttachment = Array(packet.bytes) } else { relayedPackets.send(packet) }
    deliver(notification, packet)
  }

  private func deliver(_ notification: FrequentNotification, _ packet: ReceivedPacket) {
    switch notification {
    case .gesture(let number): deliver(gesture: number, packet)
    case .touch(let frame): deliver(frame, packet)
    case .battery(let level, let chargingStatus):
      deliver(Battery(level: level, chargingStatus: chargingStatus))
    }
  }

  /// The payload determines the event, not domain and opcode.
  private func deliver(_ notification: WireNotification, _ packet: ReceivedPacket) {
    if notification.hasData { deliver(notification.data, packet) }
    if notification.hasBatteryStatusNotification { deliver(notification.batteryStatusNotification) }
    workReports.send(notification)
  }

  private func deliver(gesture number: UInt32, _ packet: ReceivedPacket) {
    gestures.send(
      GestureEvent(Gesture(rawValue: number), mayBeCopy: packet.mayBeCopy, arrival: packet.arrival))
  }

  private func deliver(_ frame: TouchFrame, _ packet: ReceivedPacket) {
    touches.send(TouchEvent(frame: frame, arrival: packet.arrival))
  }

  private func deliver(_ status: WireBatteryStatusNotification) {
    guard let value = Battery(status) else { return drop("an incomplete battery status") }
    deliver(value)
  }

  private func deliver(_ value: Battery) {
    lastBattery = value
    battery.send(value)
  }

  private func deliver(_ data: WireDataChannelNotification, _ packet: ReceivedPacket) {
    if data.hasInferenceData { deliver(gesture: data.inferenceData.event, packet) }
    if data.hasTouchData {
      guard let frame = TouchFrame(data.touchData) else { return drop("touch data that is not 13 bytes") }
      deliver(frame, packet)
    }
  }
}
