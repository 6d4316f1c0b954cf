import DBus

/// Tells bluetoothd the battery levels of bonded devices, which it exports as `org.bluez.Battery1`: UPower reads that.
///
/// bluetoothd accepts one provider for each path, even from different programs: the path contains the name of the bus
/// connection. Releases before 5.71 have no manager of providers unless they run with experimental interfaces.
public final class BatteryProvider {
  /// The batteries of one adapter's devices, by the path of the device, while that adapter's manager exists.
  private final class Registration {
    let manager: BlueZObject
    let path: String
    var levels: [String: UInt8] = [:]
    var export: Export?

    init(_ manager: BlueZObject, _ path: String) {
      self.manager = manager
      self.path = path
    }

    func path(of device: String) -> String { "\(path)/\(device.split(separator: "/").last ?? "")" }

    func interfaces(of device: String) -> Value {
      .dictionary(
        key: "s", value: "a{sv}",
        [Value.Entry(.string(Interface.batteryProvider.rawValue), .properties(properties(of: device)))])
    }

    private func properties(of device: String) -> PropertyMap {
      ["Device": .objectPath(device), "Percentage": .byte(levels[device] ?? 0), "Source": "Jacquard"]
    }
  }

  private static let batteryService = "0000180f-0000-1000-8000-00805f9b34fb"

  private let cache: ObjectCache
  private let log: (String) -> Void
  private var registrations: [String: Registration] = [:]
  private var hasLoggedAbsence = false

  /// - Parameter log: receives a line if bluetoothd refuses a level, and once if it takes none.
  public init(_ cache: ObjectCache, log: @escaping (String) -> Void) {
    self.cache = cache
    self.log = log
  }

  /// Whether bluetoothd takes the level of this device. A level that bluetoothd has from the device itself, or from
  /// another program, has priority.
  public func accepts(_ device: Device) -> Bool {
    guard device.isBonded, !device.isGone else { return false }
    guard let manager = cache.batteryManager(of: device) else {
      if !hasLoggedAbsence { log("bluetoothd takes no levels of batteries from programs") }
      hasLoggedAbsence = true
      return false
    }
    let isReadByBluetoothd = cache.hasBattery(device) || device.serviceUUIDs.contains(Self.batteryService)
    return level(of: device, manager) != nil || !isReadByBluetoothd
  }

  private func level(of device: Device, _ manager: BlueZObject) -> UInt8? {
    registrations[manager.path].flatMap { $0.manager === manager ? $0.levels[device.path] : nil }
  }

  /// - Parameter level: in percent.
  public func report(_ level: UInt8, of device: Device) {
    guard accepts(device), let manager = cache.batteryManager(of: device) else { return }
    let (known, registration) = (self.level(of: device, manager), registration(with: manager))
    registration.levels[device.path] = level
    switch known {
    case nil where registration.export != nil:
      cache.emit(
        registration.path, .objectManager, "InterfacesAdded",
        [.objectPath(registration.path(of: device.path)), registration.interfaces(of: device.path)])
    case nil: register(registration)
    case level: break
    default:
      cache.emit(
        registration.path(of: device.path), .properties, "PropertiesChanged",
        [.string(Interface.batteryProvider.rawValue), .properties(["Percentage": .byte(level)]), .strings([])])
    }
  }

  /// Called when the link of the device has ended or is about to end. Without devices, nothing is registered.
  public func withdraw(_ device: Device) {
    guard let registration = registrations[device.adapterPath], !registration.manager.isGone,
      registration.levels.removeValue(forKey: device.path) != nil
    else { return }
    guard registration.levels.isEmpty else {
      return cache.emit(
        registration.path, .objectManager, "InterfacesRemoved",
        [.objectPath(registration.path(of: device.path)), .strings([Interface.batteryProvider.rawValue])])
    }
    registrations[device.adapterPath] = nil
    cache.send(
      device.adapterPath, .batteryManager, "UnregisterBatteryProvider", [.objectPath(registration.path)])
  }

  private func registration(with manager: BlueZObject) -> Registration {
    if let known = registrations[manager.path], known.manager === manager { return known }
    // ":1.42" becomes "_1_42".
    let name = String(cache.ownName.map { $0.isNumber ? $0 : "_" })
    let new = Registration(manager, "/jacquard/batteries/\(name)/\(manager.path.split(separator: "/").last ?? "")")
    registrations[manager.path] = new
    return new
  }

  private func register(_ registration: Registration) {
    do throws(BlueZError) {
      registration.export = try cache.export(registration.path) { [weak registration] call in
        guard let registration, call.isCall(of: Interface.objectManager.rawValue, "GetManagedObjects") else {
          return call.failUnknownMethod()
        }
        let objects = registration.levels.keys.sorted().map {
          Value.Entry(.objectPath(registration.path(of: $0)), registration.interfaces(of: $0))
        }
        try? call.reply(.dictionary(key: "o", value: "a{sa{sv}}", objects))
      }
      try cache.start(
        registration.manager.path, .batteryManager, "RegisterBatteryProvider", [.objectPath(registration.path)],
        deadline: BlueZDeadlines.setting
      ) { [weak self, weak registration] in
        guard case .failure(let error) = $0, registration?.manager.isGone == false else { return }
        self?.log("bluetoothd did not take the level of a battery: \(error.name ?? error.message)")
      }
    } catch {
      log("the level of a battery could not be told: \(error.message)")
    }
  }
}
