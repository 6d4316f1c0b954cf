import BlueZ
import EventLoop

/// The battery of a tag as the panels of desktops show it, from its first level on a link until that link ends.
///
/// A program alone does not show it: its tag may be connected for a moment only.
final class PanelBattery {
  private let core: Core
  private var device: Device?
  private var reading: Task<Void, Never>?

  init(_ core: Core) { self.core = core }

  /// Asks the tag for the level: by itself, the tag reports only changes. Does nothing if bluetoothd does not accept
  /// the level, or already has it.
  func show(_ tag: Tag, _ device: Device) {
    guard self.device == nil, core.batteryProvider.accepts(device) else { return }
    self.device = device
    reading = core.loop.spawn { [weak self] in
      guard let level = try? await tag.readBattery(), !Task.isCancelled, !tag.isStale else { return }
      self?.report(level)
    }
  }

  func report(_ level: Battery) {
    if let device { core.batteryProvider.report(UInt8(level.percent), of: device) }
  }

  /// Its link has ended, or its bond is about to be removed.
  func linkEnded() {
    reading?.cancel()
    if let device { core.batteryProvider.withdraw(device) }
    device = nil
  }
}
