import EventLoop
import Jacquard

/// The state changes of all connections of a manager, as one stream. Used on the loop.
final class ConnectionList {
  /// A state change of one connection; `owner` is nil if its last reference was released.
  struct Event {
    let state: ConnectionState
    /// Nil while the tag is searched for.
    let identifier: TagIdentifier?
    let owner: ConnectionHandle?
  }

  private struct Entry {
    let connection: Connection
    weak var owner: ConnectionHandle?

    var event: Event { Event(state: connection.state, identifier: connection.identifier, owner: owner) }
  }

  let changes = Observers<Event>()
  private var entries: [Entry] = []

  /// The current state of each connection.
  var current: [Event] { entries.map(\.event) }

  func add(_ connection: Connection, of owner: ConnectionHandle) {
    let entry = Entry(connection: connection, owner: owner)
    entries.append(entry)
    changes.send(entry.event)
    // It shuts down after its owner was released.
    connection.states.add { [weak self, weak connection] _ in
      guard let self, let connection else { return }
      changed(connection)
    }
  }

  /// Called when the manager ends, because listeners may retain it.
  func end() { changes.removeAll() }

  private func changed(_ connection: Connection) {
    guard let entry = entries.first(where: { $0.connection === connection }) else { return }
    if connection.state.phase == .disconnected { entries.removeAll { $0.connection === connection } }
    changes.send(entry.event)
  }
}
