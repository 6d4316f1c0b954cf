import DBus

/// `org.bluez.GattService1` as last signalled.
public final class GattService: BlueZObject {
  public private(set) var uuid = ""

  override func apply(_ changes: PropertyMap) {
    if let value = changes["UUID"]?.asString { uuid = value.lowercased() }
  }
}
