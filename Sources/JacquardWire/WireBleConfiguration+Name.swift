extension WireBleConfiguration {
  /// The advertised name as text; bytes that are not UTF-8 are replaced by U+FFFD.
  public var customAdvName: String {
    get { String(decoding: customAdvNameUtf8, as: UTF8.self) }
    set { customAdvNameUtf8 = .init(newValue.utf8) }
  }
}
