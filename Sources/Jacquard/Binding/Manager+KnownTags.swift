import BlueZ
import EventLoop

/// Tags that are bound to this machine.
extension Manager {
  /// Creates a connection that checks the code, creates a bond and stores the tag.
  public func bind(
    _ identifier: TagIdentifier, _ binding: Binding, _ options: Connection.Options = Connection.Options(),
    statistics: Statistics = Statistics()
  ) throws(JacquardError) -> Connection {
    try connect(.identifier(identifier), options, binding: binding, statistics: statistics)
  }

  /// The tags that are bound to this machine, in the order in which they were bound. Reads the state file.
  ///
  /// - Parameter identifier: only the tag that has or had this identifier; nil: all.
  public func knownTags(_ identifier: TagIdentifier? = nil) throws(JacquardError) -> [KnownTag] {
    let tags = try core.knownTags.all()
    guard let identifier else { return tags }
    let current = core.current(identifier)
    return tags.filter { $0.identifier == current }
  }

  /// Replaces the profile.
  public func updateKnown(_ identifier: TagIdentifier, _ profile: [ProfileEntry]) async throws(JacquardError) {
    try ProfileEntry.check(profile)
    try await core.knownTags.update(identifier, profile)
  }

  /// Removes the tag here and from BlueZ, through the service if there is one. Ends its connection.
  public func unbind(_ identifier: TagIdentifier) async throws(JacquardError) {
    try await core.checkService()
    let identifier = core.current(identifier)
    // Kept until the connection has ended. A connection that is ending has nothing to exclude.
    if let connection = connection(to: identifier), !connection.isEnding {
      _ = try await connection.reservation.take(.unbinding)
    }
    await end(identifier)
    let wasBonded: Bool
    if let bus = core.bluez.busID, let answer = try await ServiceEntrance(core, identifier, nil).unbind(on: bus) {
      wasBonded = answer
    } else {
      wasBonded = try await core.removeBonds(identifier)
    }
    core.deviceIndex.bondWasRemoved(from: identifier)
    let wasKnown = try await core.knownTags.forget(identifier)
    guard wasKnown || wasBonded else { throw .unknownTag }
  }

  private func end(_ identifier: TagIdentifier) async {
    guard let connection = connection(to: identifier) else { return }
    connection.end(.disconnected)
    await connection.ended()
  }

  func connection(to identifier: TagIdentifier) -> Connection? {
    let identifier = core.current(identifier)
    return connections.last { connection in
      guard let other = connection.identifier, !connection.hasEnded else { return false }
      return core.deviceIndex.current(other) == identifier
    }
  }
}

extension Core {
  /// Throws if bluetoothd is unavailable.
  func checkService() async throws(JacquardError) {
    try await cache.changes.until { [bluez] () throws(JacquardError) -> Void? in
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
