import BlueZ
import EventLoop

/// The devices of each tag. A tag has one for each adapter that has seen it.
final class DeviceIndex {
  /// Called with each new or changed device of a tag.
  private var observers: [TagIdentifier: Observers<Device>] = [:]
  /// The first device of each tag; most have no other.
  private var first: [TagIdentifier: Device] = [:]
  private var others: [TagIdentifier: [Device]] = [:]
  private var entries: [ObjectIdentifier: (address: BluetoothAddress, identifier: TagIdentifier)] = [:]

  init(_ cache: ObjectCache) {
    cache.changes.add { [weak self] change in self?.take(change) }
  }

  func devices(of identifier: TagIdentifier) -> [Device] {
    first[identifier].map { [$0] + (others[identifier] ?? []) } ?? []
  }

  /// Nil for a device that was removed, or whose address has just changed.
  func identifier(of device: Device) -> TagIdentifier? {
    guard let entry = entries[ObjectIdentifier(device)], entry.address == device.address else { return nil }
    return entry.identifier
  }

  func observe(_ identifier: TagIdentifier, _ handler: @escaping (Device) -> Void) -> Observers<Device>.Observation {
    let known = observers[identifier] ?? Observers()
    observers[identifier] = known
    return known.add(handler)
  }

  func stopObserving(_ identifier: TagIdentifier, _ observation: Observers<Device>.Observation) {
    observation.cancel()
    if observers[identifier]?.isEmpty ?? false { observers[identifier] = nil }
  }

  private func take(_ change: ObjectCache.Change) {
    switch change {
    case .added(let object), .changed(let object, _):
      guard let device = object as? Device else { return }
      let identifier = insert(device)
      if !observers.isEmpty { observers[identifier]?.send(device) }
    case .removed(let object):
      if let device = object as? Device { remove(device) }
    case .availability: break
    }
  }

  /// BlueZ replaces a random address when it has resolved it.
  private func insert(_ device: Device) -> TagIdentifier {
    if let known = entries[ObjectIdentifier(device)] {
      if known.address == device.address { return known.identifier }
      remove(device)
    }
    let identifier = TagIdentifier(address: device.address.text)
    entries[ObjectIdentifier(device)] = (device.address, identifier)
    if first[identifier] == nil { first[identifier] = device } else { others[identifier, default: []].append(device) }
    return identifier
  }

  private func remove(_ device: Device) {
    guard let identifier = entries.removeValue(forKey: ObjectIdentifier(device))?.identifier else { return }
    var left = devices(of: identifier).filter { $0 !== device }
    first[identifier] = left.isEmpty ? nil : left.removeFirst()
    others[identifier] = left.isEmpty ? nil : left
  }
}
