import DBus

/// `org.bluez.Adapter1` as last signalled.
public final class Adapter: BlueZObject {
  public private(set) var address = ""
  public private(set) var alias = ""
  public private(set) var powered = false
  public private(set) var discovering = false
  /// The release of its bluetoothd, if known.
  private(set) var release: Release?

  override func apply(_ property: String, _ value: Value) {
    switch property {
    case "Address": address = value.asString ?? address
    case "Alias": alias = value.asString ?? alias
    case "Powered": powered = value.asBool ?? powered
    case "Discovering": discovering = value.asBool ?? discovering
    case "Modalias": if let value = value.asString { release = Release(modalias: value) }
    default: break
    }
  }

  public func setDiscoveryFilter(_ filter: PropertyMap) async throws(BlueZError) {
    try await call(.adapter, "SetDiscoveryFilter", [.properties(filter)], deadline: BlueZDeadlines.setting)
  }

  /// BlueZ replies when the controller has responded: habluetooth uses 15 s.
  public func startDiscovery() async throws(BlueZError) {
    try await call(.adapter, "StartDiscovery", deadline: BlueZDeadlines.startDiscovery)
  }

  public func stopDiscovery() async throws(BlueZError) {
    try await call(.adapter, "StopDiscovery", deadline: BlueZDeadlines.setting)
  }

  /// Does not wait. For use when the program ends.
  public func removeWithoutWaiting(_ device: Device) {
    cache?.send(path, .adapter, "RemoveDevice", [.objectPath(device.path)])
  }

  /// Removes a device, its bond and its attribute cache. Drops its link first, which takes two seconds.
  ///
  /// BlueZ 5.87 keeps a device whose link has ended while one of its services was being connected: the first request
  /// succeeds but only disconnects that service, the second one removes the device.
  public func remove(_ device: Device) async throws(BlueZError) {
    for _ in 1...2 {
      try await call(.adapter, "RemoveDevice", [.objectPath(device.path)], deadline: BlueZDeadlines.disconnect)
      if await isRemoved(device, within: BlueZDeadlines.removal) { return }
    }
    throw BlueZError(.failed, "The Bluetooth service agreed to remove the device, but kept it.")
  }

  private func isRemoved(_ device: Device, within duration: Duration) async -> Bool {
    guard !device.isGone, let cache else { return true }
    return (try? await device.changes.until(within: duration, on: cache.loop) { device.isGone ? true : nil }) == true
  }
}
