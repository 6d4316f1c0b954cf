import EventLoop

/// Registrations that end with their owner, in the order in which they began.
final class RegistrationGroup: Sendable {
  private struct Members {
    var numbers: [ObjectIdentifier: UInt64] = [:]
    var registrations: [UInt64: Registration] = [:]
    var count: UInt64 = 0

    var inOrder: [Registration] { registrations.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Nil after the owner has ended.
  private let members = Locked<Members?>(Members())

  /// Returns false if the owner has ended, possibly at this moment on another thread.
  func insert(_ registration: Registration) -> Bool {
    members.withLock { members in
      guard var present = members.take() else { return false }
      present.count += 1
      present.numbers[ObjectIdentifier(registration)] = present.count
      present.registrations[present.count] = registration
      members = present
      return true
    }
  }

  func remove(_ registration: Registration) {
    members.withLock { members in
      guard let number = members?.numbers.removeValue(forKey: ObjectIdentifier(registration)) else { return }
      members?.registrations[number] = nil
    }
  }

  /// Whether one of them may still make calls other than its final one.
  var isAnyOpen: Bool {
    let present = members.withLock { $0?.inOrder ?? [] }
    return present.contains { !$0.isMuted }
  }

  func endAll() {
    let last = members.withLock { members in
      defer { members = nil }
      return members?.inOrder ?? []
    }
    for registration in last { registration.end() }
  }
}
