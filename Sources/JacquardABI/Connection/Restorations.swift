import CJacquard
import EventLoop
import Jacquard

/// The tags that were wanted when the previous manager ended, and their connections. Used on the loop only.
final class RestorationList {
  struct Entry {
    var restoration: Restoration
    var connection: ConnectionHandle?
  }

  /// Nil until they have been read.
  private(set) var entries: Result<[Entry], JacquardError>?
  let arrivals = Observers<Result<[Entry], JacquardError>>()

  func arrive(_ entries: Result<[Entry], JacquardError>) {
    self.entries = entries
    arrivals.send(entries)
  }

  /// Called when the manager ends.
  func end() {
    for entry in (try? entries?.get()) ?? [] { Handles.release(entry.connection?.handle) }
    entries = nil
    arrivals.removeAll()
  }
}

extension ManagerHandle {
  /// Call on the loop, before the caller requests connections.
  func restore(connecting: Bool) {
    loop.spawn { [self] in
      let restorations = restorations.value
      do throws(JacquardError) {
        let wanted = try await manager.value.restorations()
        guard !isClosed else { return }
        restorations.arrive(
          .success(
            wanted.map { .init(restoration: $0, connection: connecting ? connected($0.identifier) : nil) }))
      } catch {
        if !error.isCancellation { restorations.arrive(.failure(error)) }
      }
    }
  }

  /// Nil if the caller has already requested a connection. The library owns the reference.
  private func connected(_ identifier: TagIdentifier) -> ConnectionHandle? {
    let handle = ConnectionHandle(self, identifier)
    guard (try? handle.register()) != nil else { return nil }
    handle.start { try manager.value.connect(identifier, .restored, statistics: $0.statistics) }
    return handle
  }
}

@_cdecl("jacquard_manager_on_restore") @implementation
public func jacquard_manager_on_restore(
  _ manager: OpaquePointer?, _ callback: jacquard_restorations_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    guard handle.hasRestoreID else { throw JacquardError.invalid("The manager has no restore_id.") }
    try handle.checkOpen()
    let registration = Registration(userData, destroy, in: handle.registrations)
    try handle.subscribe(registration, subscription) { [handle] _ in
      let restorations = handle.restorations.value
      let deliver = { (result: Result<[RestorationList.Entry], JacquardError>) in
        switch result {
        case .success(let entries):
          withC(entries, handle.handle) { pointers in
            registration.call { callback(pointers, entries.count, nil, $0) }
          }
        case .failure(let error):
          withCError(error) { error in registration.call { callback(nil, 0, error, $0) } }
        }
      }
      let observation = restorations.arrivals.add(deliver)
      if let entries = restorations.entries { deliver(entries) }
      return { observation.cancel() }
    }
    return 0
  }
}

private func withC(
  _ entries: [RestorationList.Entry], _ manager: OpaquePointer?,
  _ body: (UnsafePointer<UnsafePointer<jacquard_restoration>?>?) -> Void
) {
  let strings = CStrings()
  let known = entries.map { $0.restoration.known.map { CKnownTag($0, manager) } }
  let copies = zip(entries, known).map { entry, known in
    jacquard_restoration(
      manager: manager, identifier: strings(entry.restoration.identifier.text),
      known: known.map { UnsafePointer($0.pointer) },
      connection: entry.connection?.handle)
  }
  withPointers(to: copies, body)
  withExtendedLifetime((strings, known)) {}
}
