import DBus
import EventLoop

/// Which devices are kept up to date. For others, what was last known may have changed.
extension ObjectCache {
  /// Devices are followed as long as this lives.
  public final class Following {
    private let lease: DeviceRules.Lease
    private weak var device: Device?

    fileprivate init(_ lease: DeviceRules.Lease, _ device: Device?) {
      self.lease = lease
      self.device = device
      device?.followers += 1
    }

    deinit { device?.followers -= 1 }
  }

  /// When this returns, `device` and its characteristics are up to date, and they stay so.
  public func follow(_ device: Device) async throws(BlueZError) -> Following {
    guard let rules, !device.isGone else { throw .gone }
    let lease: DeviceRules.Lease
    do throws(BusError) {
      lease = try await rules.lease(device)
    } catch {
      throw BlueZError(error)
    }
    try await refresh(device, .device)
    for characteristic in characteristics(of: device) { try await refresh(characteristic, .gattCharacteristic) }
    return Following(lease, device)
  }

  /// The same for all devices, without their characteristics.
  public func followAllDevices() async throws(BlueZError) -> Following {
    guard let rules else { throw .unavailable }
    let lease: DeviceRules.Lease
    do throws(BusError) {
      lease = try await rules.leaseAllDevices()
    } catch {
      throw BlueZError(error)
    }
    try await loadAll(deadline: BlueZDeadlines.setting)
    return Following(lease, nil)
  }

  /// The devices that were ever paired, and those seen recently, can be thousands.
  private static let objectsPerPart = 16

  func loadAll(deadline: Duration) async throws(BlueZError) {
    try await call(ObjectPath.root, .objectManager, "GetManagedObjects", [], deadline: deadline) {
      [self] (tree: Message, connection, loaded: Completion<Void, BlueZError>) in
      var reader = tree.reader
      var objects = reader.enter()
      connection.handleInParts {
        for _ in 0..<Self.objectsPerPart {
          guard self.owner != nil, self.load(from: &objects) else {
            loaded.succeed(())
            return false
          }
        }
        return withExtendedLifetime(tree) { true }
      } abandoned: {
        loaded.fail(.unavailable)
      }
    }
  }

  /// Takes one object from a reply to `GetManagedObjects`. Returns false at its end.
  func load(from objects: inout MessageReader?) -> Bool {
    guard var object = objects?.enter() else { return false }
    if let path = object.cString.map({ String(cString: $0) }), object.next(), let interfaces = object.value?.asEntries {
      add(path, interfaces, isNews: false)
    }
    objects?.next()
    return true
  }

  /// Brings a device up to date that may not be followed.
  public func refresh(_ device: Device) async throws(BlueZError) {
    if device.followers == 0 { try await refresh(device, .device) }
  }

  private func refresh(_ object: BlueZObject, _ interface: Interface) async throws(BlueZError) {
    guard !object.isGone else { return }
    do throws(BlueZError) {
      try await call(
        object.path, .properties, "GetAll", [.string(interface.rawValue)], deadline: BlueZDeadlines.setting
      ) { reply in
        guard !object.isGone, let properties = reply.first?.asProperties else { return }
        object.invalidate(missingIn: properties)
        object.apply(properties)
        self.announce(.changed(object, []), object)
      }
    } catch {
      // InterfacesRemoved has the same effect as for a followed object.
      guard error.kind == .objectGone else { throw error }
    }
  }
}
