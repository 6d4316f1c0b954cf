/// The UUIDs of a tag's GATT services and characteristics, in lower case as in BlueZ.
public enum GATT: Sendable {
  /// The Jacquard service, which the tag also advertises.
  public static let service = "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"

  /// The host writes requests to this characteristic.
  public static let command = "d2f2eabb-d165-445c-b0e1-2d6b642ec57b"
  /// The tag notifies its responses on this characteristic.
  public static let response = "d2f2b8d0-d165-445c-b0e1-2d6b642ec57b"
  /// The tag notifies events, such as gestures, on this characteristic.
  public static let notification = "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b"
  /// The raw data channel, in both directions; also carries the values of motion streams.
  public static let rawData = "d2f2b8d2-d165-445c-b0e1-2d6b642ec57b"

  public static let batteryLevel = "00002a19-0000-1000-8000-00805f9b34fb"
}
