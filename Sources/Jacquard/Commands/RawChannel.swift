import BlueZ
import EventLoop
import JacquardWire

/// The raw data channel: every packet is acknowledged, and a repeated packet is delivered once. Values of a motion
/// stream are not packets.
final class RawChannel: RequestObserver {
  /// Sends one packet; calls `overdue` if its last fragment is not accepted in time, and `completion` when it has been
  /// accepted or the write has failed.
  typealias Write = (
    _ packet: [UInt8], _ overdue: @escaping () -> Void, _ completion: @escaping (Result<Void, JacquardError>) -> Void
  ) -> Void

  private let writePacket: Write
  /// Packets are written one after the other.
  private var outgoing: ArraySlice<(packet: [UInt8], completion: (Result<Void, JacquardError>) -> Void)> = []
  private var isWriting = false
  private var isInWriteNext = false
  private let notifications: Notifications
  private var previousSequence: UInt8?
  /// The number of packets that we sent and the tag has not acknowledged. If it is 0, two bytes cannot be an
  /// acknowledgement.
  private var unacknowledged = 0
  /// The sequence number of the acknowledgement that arrived last, and how often the same value is ignored after it:
  /// while the number of subscribers is uncertain, the copies of a value are delivered (docs/architecture.md).
  private var acknowledged: (sequence: UInt8, copies: Int)?
  private static let mostCopies = 3
  /// Before the subscriptions are complete the tag accepts no writes. It sends a packet only after the previous one was
  /// acknowledged, so there is at most one.
  private var heldAcknowledgement: [UInt8]?
  private var acceptsWrites = false
  private var use = RawDataUse()
  /// Receives the payloads of packets, and decides whether they are acknowledged.
  var download: Download?

  /// - Parameter write: writes one packet at a time.
  init(_ notifications: Notifications, write: @escaping Write) {
    self.notifications = notifications
    writePacket = write
  }

  /// Completes when the packet has been written; it is written even if the sender no longer waits.
  func send(_ packet: [UInt8]) -> Completion<Void, JacquardError> {
    unacknowledged &+= 1
    acknowledged = nil
    let written = Completion<Void, JacquardError>()
    write(packet) { [self] result in
      if case .failure(let error) = result, error.code != .timeout { unacknowledged = max(0, unacknowledged - 1) }
      written.complete(result)
    }
    return written
  }

  /// - Parameter completion: called again if a packet that was not written in time is written after all.
  private func write(_ packet: [UInt8], _ completion: @escaping (Result<Void, JacquardError>) -> Void = { _ in }) {
    outgoing.append((packet, completion))
    writeNext()
  }

  private func writeNext() {
    // A closed writer completes within its function. Any number of packets may wait.
    guard !isInWriteNext else { return }
    isInWriteNext = true
    defer { isInWriteNext = false }
    while !isWriting, let (packet, completion) = outgoing.popFirst() {
      isWriting = true
      // A slice retains its removed elements, and these would retain this channel.
      if outgoing.isEmpty { outgoing = [] }
      writePacket(packet, { completion(.failure(.unwritten)) }) { [self] result in
        isWriting = false
        completion(result)
        writeNext()
      }
    }
  }

  var receivesPackets: Bool { !use.isStream }

  /// Whether the tag streams or sends a session because of a request on this link.
  var isInUse: Bool { use.isStream || download != nil }

  func requested(_ request: WireRequest) {
    use.requested(request)
    // A tag may number the packets of each download from 0. If the tag does not acknowledge our packets, a packet of
    // the download must not be mistaken for an acknowledgement.
    if request.command == .collectionData { (previousSequence, unacknowledged, acknowledged) = (nil, 0, nil) }
  }

  func answered(_ request: WireRequest, _ response: WireResponse) { use.answered(request, response) }

  /// Called when all notifications are enabled.
  func open() {
    acceptsWrites = true
    if let heldAcknowledgement { write(heldAcknowledgement) }
    heldAcknowledgement = nil
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard let packet = RawDataPacket(bytes) else { return }
    if packet.looksLikeAcknowledgement, takeAcknowledgement(packet.sequence) { return }
    acknowledged = nil
    if packet.sequence != previousSequence {
      // The tag repeats a packet that was lost, or the session is requested again from the byte after the last one.
      let isNext = previousSequence.map { packet.sequence == $0 &+ 1 } ?? true
      // The tag repeats packets that are not acknowledged.
      if let download, !isNext || !download.receive(packet.payload) { return }
      if let relay = notifications.raw.relay, !relay(packet.payload, isNext) { return }
      previousSequence = packet.sequence
      notifications.receiveRaw(packet.payload)
    }
    acknowledge(packet)
  }

  /// Returns false if it must be a packet.
  private func takeAcknowledgement(_ sequence: UInt8) -> Bool {
    if let last = acknowledged, last.sequence == sequence, last.copies > 0 {
      acknowledged = (sequence, last.copies - 1)
      return true
    }
    guard unacknowledged > 0 else { return false }
    unacknowledged -= 1
    acknowledged = (sequence, Self.mostCopies)
    return true
  }

  /// Receives the payload of a packet that the service has received and acknowledges.
  func receiveRelayed(_ payload: UnsafeRawBufferPointer) {
    if let download, !download.receive(payload) { return }
    notifications.receiveRaw(payload)
  }

  /// Acknowledges a packet, or holds the acknowledgement until the tag accepts writes.
  private func acknowledge(_ packet: RawDataPacket) {
    if acceptsWrites {
      write(packet.acknowledgement)
    } else {
      heldAcknowledgement = packet.acknowledgement
    }
  }
}
