import BlueZ
import EventLoop

/// The devices of each tag. A tag has one for each adapter that has seen it.
final class DeviceIndex {
  /// Called with each new or changed device of a tag.
  private var observers: [TagIdentifier: Observers<Device>] = [:]
  /// The first device of each tag; most have no other.
  private var first: [TagIdentifier: Device] = [:]
  private var others: [TagIdentifier: [Device]] = [:]
  /// Identifiers of addresses that BlueZ has replaced, and those that replaced them.
  private var replaced: [TagIdentifier: TagIdentifier] = [:]
  /// Tags that this process has connected while BlueZ listed the Jacquard service.
  private var proven: Set<TagIdentifier> = []
  /// Sends the identifier of each tag that had another one until now.
  let replacements = Observers<TagIdentifier>()
  private var entries: [ObjectIdentifier: (address: BluetoothAddress, identifier: TagIdentifier)] = [:]

  init(_ cache: ObjectCache) {
    cache.changes.add { [weak self] change in self?.take(change) }
  }

  /// The same tag's current identifier: a tag with a private address got another one when BlueZ resolved the address.
  func current(_ identifier: TagIdentifier) -> TagIdentifier { replaced[identifier] ?? identifier }

  func note(_ old: TagIdentifier, isNow new: TagIdentifier) {
    guard old != new, replaced[old] != new else { return }
    for (former, latest) in replaced where latest == old { replaced[former] = new }
    (replaced[old], replaced[new]) = (new, nil)
    if proven.contains(old) { proven.insert(new) }
    replacements.send(new)
  }

  /// Called before each link to the tag, whether it is bound or not.
  func serviceWasListed(for identifier: TagIdentifier) { proven.insert(identifier) }

  /// Whether the device has shown this process that it is a tag.
  func isProven(_ identifier: TagIdentifier) -> Bool { proven.contains(identifier) }

  /// Without its bond, BlueZ does not resolve its addresses.
  func bondWasRemoved(from identifier: TagIdentifier) { replaced = replaced.filter { $0.value != identifier } }

  /// A device that is not followed has its former identifier until it is refreshed, although the tag has reported the
  /// one that replaced it.
  func devices(of identifier: TagIdentifier) -> [Device] {
    let known = entered(as: current(identifier))
    return known.isEmpty ? entered(as: identifier) : known
  }

  private func entered(as identifier: TagIdentifier) -> [Device] {
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
      guard !observers.isEmpty else { return }
      observers[identifier]?.send(device)
      for (old, new) in replaced where new == identifier { observers[old]?.send(device) }
    case .removed(let object):
      if let device = object as? Device { remove(device) }
    case .availability: break
    }
  }

  /// BlueZ replaces a private address when it has resolved it.
  private func insert(_ device: Device) -> TagIdentifier {
    if let known = entries[ObjectIdentifier(device)] {
      if known.address == device.address { return known.identifier }
      remove(device)
      note(known.identifier, isNow: TagIdentifier(address: device.address.text))
    }
    let identifier = TagIdentifier(address: device.address.text)
    // BlueZ does not resolve it any more: the bond was removed.
    replaced[identifier] = nil
    entries[ObjectIdentifier(device)] = (device.address, identifier)
    if first[identifier] == nil { first[identifier] = device } else { others[identifier, default: []].append(device) }
    return identifier
  }

  private func remove(_ device: Device) {
    guard let identifier = entries.removeValue(forKey: ObjectIdentifier(device))?.identifier else { return }
    var left = entered(as: identifier).filter { $0 !== device }
    first[identifier] = left.isEmpty ? nil : left.removeFirst()
    others[identifier] = left.isEmpty ? nil : left
  }
}
