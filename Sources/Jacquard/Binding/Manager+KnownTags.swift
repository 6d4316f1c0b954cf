import BlueZ
import EventLoop

/// Tags that are bound to this machine.
extension Manager {
  /// Creates a connection that checks the code, creates a bond and stores the tag.
  public func bind(
    _ identifier: TagIdentifier, _ binding: Binding, _ options: Connection.Options = Connection.Options(),
    statistics: Statistics = Statistics()
  ) throws -> Connection {
    try connect(identifier, options, binding: binding, statistics: statistics)
  }

  public func knownTags() async throws -> [KnownTag] { try await core.knownTags.all() }

  /// Replaces the profile.
  public func updateKnown(_ identifier: TagIdentifier, _ profile: [ProfileEntry]) async throws {
    try ProfileEntry.check(profile)
    try await core.knownTags.update(identifier, profile)
  }

  /// Removes the tag here and from BlueZ. Ends its connection.
  public func unbind(_ identifier: TagIdentifier) async throws {
    try await core.checkService()
    await end(identifier)
    let devices = core.bondedDevices(identifier)
    for (adapter, device) in devices {
      do {
        try await adapter.remove(device)
      } catch let error as BlueZError where error.kind == .doesNotExist || error.kind == .objectGone {
      } catch let error as BlueZError {
        throw JacquardError(error, otherwise: .adapterRefused)
      }
    }
    let wasKnown = try await core.knownTags.forget(identifier)
    guard wasKnown || !devices.isEmpty else { throw JacquardError.unknownTag }
  }

  private func end(_ identifier: TagIdentifier) async {
    guard let connection = connections.last(where: { $0.identifier == identifier && !$0.hasEnded }) else { return }
    connection.disconnect()
    await connection.ended()
  }
}

extension Core {
  /// Throws if bluetoothd is unavailable.
  func checkService() async throws {
    try await cache.changes.until { [bluez] () -> Void? in
      switch bluez.availability {
      case .starting: nil
      case .noBus(let error): throw JacquardError(error)
      case .noService(let error): throw JacquardError(error, otherwise: .bluezUnavailable)
      case .denied(let error): throw JacquardError(error, otherwise: .permissionDenied)
      case .running: ()
      }
    }
  }
}
