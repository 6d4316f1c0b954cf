import BlueZ

/// The name of the tag's link and the strength with which it was last heard, as BlueZ learns of them.
public final class NameMonitor {
  public let changes = Observers<String>()
  /// Empty until it is known.
  public private(set) var name = ""

  private let mirror: Mirror
  private var observation: Observers<Mirror.Change>.Observation?

  init(_ mirror: Mirror) { self.mirror = mirror }

  func follow(_ device: Device, _ statistics: Statistics) {
    observation?.cancel()
    observation = mirror.changes.add { [weak self] change in
      guard case .changed(let object, _) = change, object === device else { return }
      self?.take(device, statistics)
    }
    take(device, statistics)
  }

  /// The connection has ended for good.
  func end() {
    observation?.cancel()
    changes.removeAll()
  }

  private func take(_ device: Device, _ statistics: Statistics) {
    if let rssi = device.lastRSSI, rssi != Advertisement.unknownRSSI { statistics.heard(rssi) }
    guard !device.name.isEmpty, device.name != name else { return }
    name = device.name
    changes.send(name)
  }
}
