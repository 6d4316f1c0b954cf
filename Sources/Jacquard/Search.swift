import BlueZ
import EventLoop

/// Finding the device that bears an identifier: among those BlueZ knows, else by discovery.
///
/// Discovery goes on until `end()`, which belongs after `Connect`: BlueZ may drop a device that is only known from
/// discovery when that stops.
final class Search {
  private let core: Core
  private let adapter: Adapter
  private let identifier: TagIdentifier
  private var wish: Discovery.Wish?

  init(_ core: Core, _ adapter: Adapter, _ identifier: TagIdentifier) {
    self.core = core
    self.adapter = adapter
    self.identifier = identifier
  }

  func end() {
    wish?.end()
    wish = nil
  }

  func device() async throws -> Device {
    if let known = known() { return known }
    let found = Completion<Device>()
    let observation = core.mirror.changes.add { [self] _ in
      if adapter.isGone { found.fail(BlueZError.gone) }
      // Discovery would wait for the power; whether the connection does is not decided here.
      if !adapter.powered { found.fail(JacquardError(.poweredOff, "The adapter was switched off.")) }
      if let device = known() { found.succeed(device) }
    }
    defer { observation.cancel() }
    wish = core.discovery(on: adapter).wish { found.fail(JacquardError($0, otherwise: .adapterRefused)) }
    return try await found.value()
  }

  private func known() -> Device? {
    core.mirror.devices.first { $0.adapterPath == adapter.path && core.identifier(of: $0) == identifier }
  }
}
