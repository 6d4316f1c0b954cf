import DBus

/// `org.bluez.GattService1` as last signalled.
final class GattService: BlueZObject {
  private(set) var uuid = ""

  override func apply(_ property: String, _ value: Value) {
    if property == "UUID", let value = value.asString { uuid = value.lowercased() }
  }
}
