import CJacquard
import EventLoop
import Jacquard

/// The tags that were wanted when the previous manager ended, and their connections. Used on the loop only.
final class RestorationList {
  struct Entry {
    var result: Result<Restoration, JacquardError>
    var connection: ConnectionHandle?
  }

  private(set) var entries: [Entry] = []
  let arrivals = Observers<Entry>()

  func add(_ result: Result<Restoration, JacquardError>, _ connection: ConnectionHandle? = nil) {
    let entry = Entry(result: result, connection: connection)
    entries.append(entry)
    arrivals.send(entry)
  }

  /// Called when the manager ends.
  func end() {
    for entry in entries { Handles.release(entry.connection?.handle) }
    entries = []
    arrivals.removeAll()
  }
}

extension ManagerHandle {
  /// Call on the loop, before the caller requests connections.
  func restore(connecting: Bool) {
    loop.spawn { [self] in
      let restorations = restorations.value
      do throws(JacquardError) {
        for restoration in try await manager.value.restorations() {
          guard !isClosed else { return }
          restorations.add(.success(restoration), connecting ? connected(restoration.identifier) : nil)
        }
      } catch {
        if !error.isCancellation { restorations.add(.failure(error)) }
      }
    }
  }

  /// Nil if the caller has already requested a connection. The library owns the reference.
  private func connected(_ identifier: TagIdentifier) -> ConnectionHandle? {
    let handle = ConnectionHandle(self, identifier)
    guard (try? handle.register()) != nil else { return nil }
    handle.start { try manager.value.connect($0, .restored, statistics: $1) }
    return handle
  }
}

@_cdecl("jacquard_manager_on_restore") @implementation
public func jacquard_manager_on_restore(
  _ manager: OpaquePointer?, _ callback: jacquard_restoration_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    guard handle.hasRestoreID else { throw JacquardError.invalid("The manager has no restore_id.") }
    try handle.checkOpen()
    let registration = Registration(userData, destroy, in: handle.registrations)
    try handle.subscribe(registration, subscription) { [handle] _ in
      let restorations = handle.restorations.value
      let deliver = { (entry: RestorationList.Entry) in
        withC(entry, handle.handle) { copy in registration.call { callback(copy, $0) } }
      }
      let observation = restorations.arrivals.add(deliver)
      for entry in restorations.entries { deliver(entry) }
      return { observation.cancel() }
    }
    return 0
  }
}

private func withC(
  _ entry: RestorationList.Entry, _ manager: OpaquePointer?, _ body: (UnsafePointer<jacquard_restoration>) -> Void
) {
  var copy = jacquard_restoration()
  copy.manager = manager
  switch entry.result {
  case .success(let restoration):
    let known = restoration.known.map { CKnownTag($0, manager) }
    copy.known = UnsafePointer(known?.pointer)
    copy.connection = entry.connection?.handle
    restoration.identifier.text.withCString {
      copy.identifier = $0
      body(&copy)
    }
    withExtendedLifetime(known) {}
  case .failure(let error):
    withCError(error) {
      copy.error = $0
      body(&copy)
    }
  }
}
