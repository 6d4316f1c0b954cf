import BlueZ
import EventLoop

/// The tag's name and the signal strength of its last advertisement, as BlueZ reports them.
public final class NameMonitor {
  public let changes = Observers<String>()
  /// Empty until it is known.
  public private(set) var name = ""

  /// The new name of a renamed tag, and BlueZ's name for it at that time.
  private var renaming: (from: String, to: String)?
  var replacedName: String? { renaming?.from }
  /// Called with the new name of a renamed tag.
  var onRenamed: (String) -> Void = { _ in }
  /// The program with the link has reported the strength. What this program received before may be older.
  private var strengthIsReported = false
  private weak var device: Device?
  private var observation: Observers<ObjectCache.Change>.Observation?

  func follow(_ device: Device, _ statistics: Statistics) {
    self.device = device
    observation?.cancel()
    observation = device.changes.add { [weak self, weak device] change in
      guard case .changed(let object, let names) = change, let device, object === device else { return }
      if names.contains("RSSI") { self?.strengthIsReported = false }
      self?.take(device, statistics)
    }
    take(device, statistics)
  }

  /// Called when the tag has confirmed its new name. BlueZ may continue to report the old name: 5.82 and 5.87 do not
  /// re-read the name of a known tag, and update it from an advertisement only during discovery.
  func renamed(_ name: String) {
    if let device { renaming = (from: device.name, to: name) }
    onRenamed(name)
  }

  /// For a tag that was renamed earlier.
  func wasRenamed(from old: String, to new: String) { renaming = (old, new) }

  /// The name that the program with the link reports.
  func heard(_ text: String) {
    guard !text.isEmpty, text != name else { return }
    name = text
    changes.send(text)
  }

  /// The strength that the program with the link reports, if it is possible (Core Specification, volume 4, part E,
  /// 7.7.65.2).
  func heard(_ strength: Int32, _ statistics: Statistics) {
    guard (-127...20).contains(strength) else { return }
    strengthIsReported = true
    statistics.heard(Int16(strength))
  }

  /// Called when another program gets the link: it reports both from now on.
  func unfollow() {
    observation?.cancel()
    observation = nil
    device = nil
  }

  /// The tag's name, as far as known.
  func name(of device: Device) -> String {
    if let renaming, device.name == renaming.from { return renaming.to }
    return device.name
  }

  /// Called when the connection has ended.
  func end() {
    observation?.cancel()
    changes.removeAll()
    onRenamed = { _ in }
  }

  private func take(_ device: Device, _ statistics: Statistics) {
    let strength = strengthIsReported ? device.rssi : device.lastRSSI
    if let strength, strength != Advertisement.unknownRSSI { statistics.heard(strength) }
    if device.name != renaming?.from { renaming = nil }
    let known = self.name(of: device)
    guard !known.isEmpty, known != name else { return }
    name = known
    changes.send(name)
  }
}
