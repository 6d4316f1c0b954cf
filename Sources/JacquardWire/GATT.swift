/// The UUIDs of a tag's GATT services and characteristics, in lower case as in BlueZ.
public enum GATT: Sendable {
  /// Also advertised.
  public static let service = "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"

  public static let command = "d2f2eabb-d165-445c-b0e1-2d6b642ec57b"
  public static let response = "d2f2b8d0-d165-445c-b0e1-2d6b642ec57b"
  public static let notification = "d2f2b8d1-d165-445c-b0e1-2d6b642ec57b"
  public static let rawData = "d2f2b8d2-d165-445c-b0e1-2d6b642ec57b"

  public static let batteryLevel = "00002a19-0000-1000-8000-00805f9b34fb"
}
