import EventLoop

/// Registrations that end together with their owner.
final class RegistrationGroup: @unchecked Sendable {
  /// Nil once the owner has ended.
  private let members = Locked<[ObjectIdentifier: Registration]?>([:])

  /// False when the owner has ended, perhaps on another thread just now.
  func insert(_ registration: Registration) -> Bool {
    members.withLock { members in
      members?[ObjectIdentifier(registration)] = registration
      return members != nil
    }
  }

  func remove(_ registration: Registration) {
    _ = members.withLock { $0?.removeValue(forKey: ObjectIdentifier(registration)) }
  }

  /// Whether one of them has callbacks before its last to come.
  var isAnyOpen: Bool {
    let present = members.withLock { $0 ?? [:] }
    return present.values.contains { !$0.isMuted }
  }

  func endAll() {
    let last = members.withLock { members in
      defer { members = nil }
      return members ?? [:]
    }
    for registration in last.values { registration.end() }
  }
}
