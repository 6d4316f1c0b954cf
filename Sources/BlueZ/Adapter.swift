import DBus

/// `org.bluez.Adapter1` as last signalled.
public final class Adapter: BlueZObject {
  /// The Bluetooth address of the adapter, such as `00:11:22:33:44:55`; empty until BlueZ has reported it.
  public private(set) var address = ""
  /// The name that the user chose for this machine, or BlueZ's default name.
  public private(set) var alias = ""
  /// Whether the controller is switched on.
  public private(set) var powered = false
  /// Whether discovery runs for any program, not only for this one.
  public private(set) var discovering = false
  /// The release of its bluetoothd, if known.
  private(set) var release: Release?
  /// If a device requires a bond, and none can be created, this release reports ATT's "unlikely error" instead (seen on
  /// 5.87, not on 5.82).
  public var hidesSecurityErrors: Bool { release.map { $0.major > 5 || $0.minor > 82 } ?? false }

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

  /// Sets the filter of this bus connection. BlueZ merges the filters of all programs.
  public func setDiscoveryFilter(_ filter: PropertyMap) async throws(BlueZError) {
    try await call(.adapter, "SetDiscoveryFilter", [.properties(filter)], deadline: BlueZDeadlines.setting)
  }

  /// BlueZ replies when the controller has responded: habluetooth uses 15 s.
  public func startDiscovery() async throws(BlueZError) {
    try await call(.adapter, "StartDiscovery", deadline: BlueZDeadlines.startDiscovery)
  }

  /// Ends the discovery session of this bus connection. Sessions of other programs continue.
  public func stopDiscovery() async throws(BlueZError) {
    try await call(.adapter, "StopDiscovery", deadline: BlueZDeadlines.setting)
  }

  /// Removes a device without waiting, for use when the program ends.
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
