import DBus
import EventLoop

/// Selects the devices that are kept up to date. The last known state of others may be obsolete.
extension ObjectCache {
  /// Devices are followed as long as this lives.
  public final class Following {
    private let rules: DeviceRules
    private weak var device: Device?
    private var lease: DeviceRules.Lease?
    /// The leases of characteristics that were exported later.
    private var laterLeases: [String: DeviceRules.Lease] = [:]
    private var observation: Observers<Change>.Observation?
    private var isUpToDate = false
    /// Whether all characteristics that can notify are followed.
    public private(set) var isComplete = true

    fileprivate init(_ rules: DeviceRules) { self.rules = rules }

    fileprivate func followAll() async throws(BlueZError) {
      do throws(BusError) {
        lease = try await rules.leaseAllDevices()
      } catch {
        throw BlueZError(error)
      }
    }

    fileprivate func follow(_ device: Device, _ known: [GattCharacteristic]) async throws(BlueZError) {
      self.device = device
      observation = device.changes.add { [weak self] change in
        switch change {
        case .added(let object): if let new = object as? GattCharacteristic, new.canNotify { self?.include(new) }
        case .removed(let object): self?.laterLeases[object.path] = nil
        default: break
        }
      }
      lease = try await rules.leaseChanges(of: [device] + known)
    }

    fileprivate func upToDate() {
      isUpToDate = true
      device?.followers += 1
    }

    deinit {
      observation?.cancel()
      if isUpToDate { device?.followers -= 1 }
    }

    private func include(_ new: GattCharacteristic) {
      guard let cache = new.cache else { return }
      let followed = Completion<Void, BlueZError>()
      new.followed = followed
      cache.loop.spawn { [weak self, rules] in
        do throws(BlueZError) {
          let lease = try await rules.leaseChanges(of: [new])
          if !new.isGone { self?.laterLeases[new.path] = lease }
        } catch {
          self?.isComplete = false
          new.followed = nil
          followed.fail(error)
          return
        }
        followed.succeed(())
        // Requested before the waiting subscription continues. If bluetoothd does not respond, the next change is still
        // received.
        try? await cache.refresh(new, .gattCharacteristic)
      }
    }
  }

  /// When this returns, `device` and its characteristics that can notify are up to date, and they stay so. The other
  /// characteristics change only in their MTU, and all have the same one.
  public func follow(_ device: Device) async throws(BlueZError) -> Following {
    guard let rules, !device.isGone else { throw .gone }
    let following = Following(rules)
    let known = characteristics(of: device).filter(\.canNotify)
    try await following.follow(device, known)
    try await refresh(device, .device)
    for characteristic in known { try await refresh(characteristic, .gattCharacteristic) }
    following.upToDate()
    return following
  }

  /// Keeps all devices up to date, but not their characteristics, as long as the result exists.
  public func followAllDevices() async throws(BlueZError) -> Following {
    guard let rules else { throw .unavailable }
    let following = Following(rules)
    try await following.followAll()
    try await loadAll(deadline: BlueZDeadlines.setting)
    return following
  }

  /// Refreshes all devices, followed or not. Those that are not followed may change afterwards.
  public func refreshAllDevices() async throws(BlueZError) { try await loadAll(deadline: BlueZDeadlines.setting) }

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

  /// Refreshes a device if it is not followed.
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

extension DeviceRules {
  fileprivate func leaseChanges(of objects: [BlueZObject]) async throws(BlueZError) -> Lease {
    do throws(BusError) {
      return try await lease(objects.map(\.path))
    } catch {
      throw BlueZError(error)
    }
  }
}
