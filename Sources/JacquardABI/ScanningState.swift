import EventLoop

/// Whether any scan of a manager is running, as events. Used on the loop.
final class ScanningState {
  let changes = Observers<Bool>()
  private(set) var isScanning = false
  private let scans: RegistrationGroup

  init(of scans: RegistrationGroup) { self.scans = scans }

  /// Call when a scan may have begun or ended.
  func check() {
    guard scans.isAnyOpen != isScanning else { return }
    isScanning.toggle()
    changes.send(isScanning)
  }

  /// Called when the manager ends, because listeners may retain it.
  func end() { changes.removeAll() }
}
