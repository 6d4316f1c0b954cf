import SwiftProtobuf

extension WireFrequentNotification {
  /// Nil for a packet that does not decode, and for one that holds anything this view lacks: read the whole then.
  public init?(packet: UnsafeRawBufferPointer) {
    guard let view = try? WireFrequentNotification(decoding: packet), view.unknownFields.data.isEmpty else {
      return nil
    }
    self = view
  }
}
