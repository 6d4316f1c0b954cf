import Glibc

/// Recognises replies without a value, like one that libdbus has accepted: they differ only in their serial numbers.
///
/// The reply to a write of a characteristic is one.
struct EmptyReply {
  private static let replySerialField: UInt8 = 5

  /// The accepted reply, which stands for all replies like it.
  let message: Message
  private let frame: [UInt8]
  private let replySerialAt: Int

  /// Nil if the frame is not a reply, or has a value or descriptors.
  init?(_ message: MessageView, _ frame: Frame) {
    guard message.kind == .methodReturn, frame.bytes.count == frame.header, !frame.hasDescriptors,
      let offset = frame.offset(ofNumber: Self.replySerialField)
    else { return nil }
    self.message = Message(message)
    self.frame = Array(frame.bytes)
    replySerialAt = offset
  }

  /// The serial number of the call, if `other` is a reply like the accepted one.
  @inline(__always)
  func replySerial(of other: Frame) -> UInt32? {
    frame.withUnsafeBytes { frame -> UInt32? in
      guard let ours = frame.baseAddress, let theirs = other.bytes.baseAddress, other.bytes.count == frame.count,
        memcmp(ours, theirs, 8) == 0, other.serial != 0, memcmp(ours + 12, theirs + 12, replySerialAt - 12) == 0,
        memcmp(ours + replySerialAt + 4, theirs + replySerialAt + 4, frame.count - replySerialAt - 4) == 0
      else { return nil }
      let serial = theirs.loadUnaligned(fromByteOffset: replySerialAt, as: UInt32.self)
      return serial == 0 ? nil : serial
    }
  }
}
