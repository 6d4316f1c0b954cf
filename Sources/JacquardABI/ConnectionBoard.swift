import BlueZ
import Jacquard

/// The connections of a manager as one stream. On the loop.
final class ConnectionBoard {
  /// What happened to one of them; `owner` is nil when its last reference was given back.
  struct Event {
    let state: ConnectionState
    let identifier: TagIdentifier
    let owner: ConnectionHandle?
  }

  private struct Entry {
    let connection: Connection
    weak var owner: ConnectionHandle?

    var event: Event { Event(state: connection.state, identifier: connection.identifier, owner: owner) }
  }

  let changes = Observers<Event>()
  private var entries: [Entry] = []

  /// The state that each connection is in.
  var current: [Event] { entries.map(\.event) }

  func add(_ connection: Connection, of owner: ConnectionHandle) {
    let entry = Entry(connection: connection, owner: owner)
    entries.append(entry)
    changes.send(entry.event)
    // It winds down after its owner is gone.
    connection.states.add { [weak self, weak connection] _ in
      guard let self, let connection else { return }
      changed(connection)
    }
  }

  /// When the manager ends: what listens here may hold it.
  func end() { changes.removeAll() }

  private func changed(_ connection: Connection) {
    guard let entry = entries.first(where: { $0.connection === connection }) else { return }
    if connection.state.phase == .disconnected { entries.removeAll { $0.connection === connection } }
    changes.send(entry.event)
  }
}
