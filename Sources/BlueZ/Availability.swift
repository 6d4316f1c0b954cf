import DBus

/// Whether org.bluez can be used, and why not.
public enum Availability: Sendable {
  /// The bus or bluetoothd is being queried for the first time.
  case starting
  case noBus(BusError)
  case noService(BlueZError)
  case denied(BlueZError)
  case running
}
