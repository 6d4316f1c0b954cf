/// The interfaces of BlueZ (doc/*.rst) and of the D-Bus specification.
enum Interface: String, CaseIterable {
  case adapter = "org.bluez.Adapter1"
  case device = "org.bluez.Device1"
  case gattService = "org.bluez.GattService1"
  case gattCharacteristic = "org.bluez.GattCharacteristic1"

  case agent = "org.bluez.Agent1"
  case agentManager = "org.bluez.AgentManager1"
  case battery = "org.bluez.Battery1"
  case batteryManager = "org.bluez.BatteryProviderManager1"
  case batteryProvider = "org.bluez.BatteryProvider1"

  case objectManager = "org.freedesktop.DBus.ObjectManager"
  case peer = "org.freedesktop.DBus.Peer"
  case introspectable = "org.freedesktop.DBus.Introspectable"
  case properties = "org.freedesktop.DBus.Properties"
}

enum BusName {
  static let bluez = "org.bluez"
}

enum ObjectPath {
  static let root = "/"
  static let bluez = "/org/bluez"
}
