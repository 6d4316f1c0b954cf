extension ServiceMessage {
  /// A change that another version would misunderstand raises it; a new kind or field does not.
  public static let version: UInt32 = 1

  /// Whether it is dropped, and counted, if the other side does not read fast enough. All others are kept.
  public var isEvent: Bool {
    switch self {
    case .notification, .rawPacket, .rawValue, .streamValue: true
    default: false
    }
  }
}
