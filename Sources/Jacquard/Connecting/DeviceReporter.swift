import BlueZ
import EventLoop

/// Reports the name and the signal strength that BlueZ knows of a tag: at once, and after each change.
final class DeviceReporter {
  private let name: NameMonitor
  private let statistics: Statistics
  private var observation: Observers<ObjectCache.Change>.Observation?

  init(_ name: NameMonitor, _ statistics: Statistics) {
    self.name = name
    self.statistics = statistics
  }

  deinit { observation?.cancel() }

  func follow(_ device: Device) {
    observation?.cancel()
    observation = device.changes.add { [weak self, weak device] change in
      if case .changed(let object, _) = change, let device, object === device { self?.report(device) }
    }
    report(device)
  }

  private func report(_ device: Device) {
    if let strength = device.lastRSSI, strength != Advertisement.unknownRSSI { statistics.heard(strength) }
    name.report(device.name)
  }
}
