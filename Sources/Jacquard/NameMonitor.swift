import BlueZ

/// The name of the tag's link and the strength with which it was last heard, as BlueZ learns of them.
public final class NameMonitor {
  public let changes = Observers<String>()
  /// Empty until it is known.
  public private(set) var name = ""

  /// A renamed tag, and what BlueZ called it then.
  private var renaming: (from: String, to: String)?
  private weak var device: Device?
  private let mirror: Mirror
  private var observation: Observers<Mirror.Change>.Observation?

  init(_ mirror: Mirror) { self.mirror = mirror }

  func follow(_ device: Device, _ statistics: Statistics) {
    self.device = device
    observation?.cancel()
    observation = mirror.changes.add { [weak self] change in
      guard case .changed(let object, _) = change, object === device else { return }
      self?.take(device, statistics)
    }
    take(device, statistics)
  }

  /// The tag has confirmed it. BlueZ may go on with the name before: from a tag that it knows, 5.82 and 5.87 do not read the
  /// name anew, and an advertisement tells it to them only during discovery.
  func renamed(_ name: String) {
    if let device { renaming = (from: device.name, to: name) }
  }

  /// What the tag is called, to the best of anybody's knowledge.
  func name(of device: Device) -> String {
    if let renaming, device.name == renaming.from { return renaming.to }
    return device.name
  }

  /// The connection has ended for good.
  func end() {
    observation?.cancel()
    changes.removeAll()
  }

  private func take(_ device: Device, _ statistics: Statistics) {
    if let rssi = device.lastRSSI, rssi != Advertisement.unknownRSSI { statistics.heard(rssi) }
    if device.name != renaming?.from { renaming = nil }
    let known = self.name(of: device)
    guard !known.isEmpty, known != name else { return }
    name = known
    changes.send(name)
  }
}
