extension ServiceMessage {
  /// Whether it is dropped, and counted, if the other side does not read fast enough. All others are kept.
  public var isEvent: Bool {
    switch self {
    case .notification, .rawPacket, .rawValue, .streamValue: true
    default: false
    }
  }
}
