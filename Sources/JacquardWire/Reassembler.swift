/// Joins the values of one notifying characteristic into packets.
///
/// A class, because the handler of a packet may reset the reassembler, feed it, or release its owner.
public final class Reassembler {
  /// Empty unless a packet is incomplete; its storage is reused for each packet of several fragments.
  private var collected: [UInt8] = []
  private var announcedLength = 0
  private var isOpen = false
  private var expectedCounter: UInt8 = 0

  public init() {}

  /// Discards an incomplete packet, for a new link.
  public func reset() {
    collected.removeAll(keepingCapacity: true)
    isOpen = false
  }

  /// Processes one GATT value: delivers the packet that it completes, and reports dropped bytes.
  ///
  /// The bytes passed to `deliver` are only valid during the call: for a packet of one fragment, they are part of
  /// `value`.
  public func feed(
    _ value: UnsafeRawBufferPointer,
    deliver: (_ packet: UnsafeRawBufferPointer) throws -> Void,
    report: (FragmentError) -> Void = { _ in }
  ) rethrows {
    guard let header = value.first else { return report(.emptyValue) }
    if header & FragmentFormat.firstFlag != 0 {
      try begin(header, UnsafeRawBufferPointer(rebasing: value.dropFirst()), deliver, report)
    } else {
      try go(on: header, UnsafeRawBufferPointer(rebasing: value.dropFirst()), deliver, report)
    }
  }

  private func begin(
    _ header: UInt8,
    _ content: UnsafeRawBufferPointer,
    _ deliver: (UnsafeRawBufferPointer) throws -> Void,
    _ report: (FragmentError) -> Void
  ) rethrows {
    if isOpen {
      reset()
      report(.interrupted)
    }
    guard header & FragmentFormat.counterMask == 0 else { return report(.firstCounterNotZero) }
    guard let (length, lengthBytes) = Self.packetLength(content) else { return report(.malformedLength) }
    guard length > 0 else { return report(.emptyPacket) }
    guard length <= FragmentFormat.longestPacket else { return report(.packetTooLong) }
    let data = UnsafeRawBufferPointer(rebasing: content.dropFirst(lengthBytes))
    guard data.count <= length else { return report(.tooMuchData) }

    if header & FragmentFormat.lastFlag != 0 {
      guard data.count == length else { return report(.tooLittleData) }
      return try deliver(data)
    }
    collected.reserveCapacity(FragmentFormat.longestPacket)
    collected.append(contentsOf: data)
    announcedLength = length
    expectedCounter = 1
    isOpen = true
  }

  private func go(
    on header: UInt8,
    _ data: UnsafeRawBufferPointer,
    _ deliver: (UnsafeRawBufferPointer) throws -> Void,
    _ report: (FragmentError) -> Void
  ) rethrows {
    guard isOpen else { return report(.orphan) }
    guard (header ^ expectedCounter) & FragmentFormat.comparedCounterMask == 0 else {
      reset()
      return report(.counterMismatch)
    }
    guard data.count <= announcedLength - collected.count else {
      reset()
      return report(.tooMuchData)
    }
    collected.append(contentsOf: data)
    expectedCounter &+= 1
    guard header & FragmentFormat.lastFlag != 0 else { return }
    guard collected.count == announcedLength else {
      reset()
      return report(.tooLittleData)
    }

    // Moved out of self during delivery, so that the handler may call methods of this object.
    var packet: [UInt8] = []
    swap(&packet, &collected)
    isOpen = false
    defer {
      if !isOpen {
        packet.removeAll(keepingCapacity: true)
        swap(&packet, &collected)
      }
    }
    try packet.withUnsafeBytes(deliver)
  }

  /// The varint before a packet, and its number of bytes. Two bytes are enough for the longest packet.
  private static func packetLength(_ content: UnsafeRawBufferPointer) -> (length: Int, byteCount: Int)? {
    guard let low = content.first else { return nil }
    if low < 0x80 { return (Int(low), 1) }
    guard content.count > 1, content[1] < 0x80 else { return nil }
    return (Int(low & 0x7f) | Int(content[1]) << 7, 2)
  }
}
