extension WireRequest {
  /// Whether `packet`, from which this was decoded, contains text that is not UTF-8 and was repaired.
  public func hasRepairedText(of packet: [UInt8]) -> Bool {
    Self.replacements(in: self.packet()) > Self.replacements(in: packet)
  }

  private static func replacements(in bytes: [UInt8]) -> Int {
    bytes.indices.dropLast(2).count { bytes[$0...].starts(with: [0xef, 0xbf, 0xbd]) }
  }
}
