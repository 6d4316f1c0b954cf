import DBus

/// Whether org.bluez can be used, and why not.
public enum Availability: Sendable {
  /// The bus is being reached for the first time, or has been reached and bluetoothd is being queried.
  case starting
  case noBus(BusError)
  case noService(BlueZError)
  case denied(BlueZError)
  case running
}
