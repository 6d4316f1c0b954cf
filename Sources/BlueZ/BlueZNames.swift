/// Names on the bus, as in BlueZ's doc/*.rst and the D-Bus specification.
enum Name {
  static let service = "org.bluez"
  static let root = "/"
  static let bluez = "/org/bluez"

  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattService = "org.bluez.GattService1"
  static let gattCharacteristic = "org.bluez.GattCharacteristic1"

  static let agent = "org.bluez.Agent1"
  static let agentManager = "org.bluez.AgentManager1"

  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let peer = "org.freedesktop.DBus.Peer"
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  static let properties = "org.freedesktop.DBus.Properties"
}
