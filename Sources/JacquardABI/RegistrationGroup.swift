import Synchronization

/// Registrations that end together with their owner.
final class RegistrationGroup: @unchecked Sendable {
  private let members = Mutex<[ObjectIdentifier: Registration]>([:])

  func insert(_ registration: Registration) {
    members.withLock { $0[ObjectIdentifier(registration)] = registration }
  }

  func remove(_ registration: Registration) {
    _ = members.withLock { $0.removeValue(forKey: ObjectIdentifier(registration)) }
  }

  func endAll() {
    for registration in members.withLock({ Array($0.values) }) { registration.end() }
  }
}
