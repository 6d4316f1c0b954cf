import EventLoop
import Glibc

/// Tracks the owner of one well-known name for all watchers.
final class NameOwner {
  let name: String
  /// Completes when the owner first becomes known.
  let known = Completion<Void>()
  private weak var connection: BusConnection?
  private var subscription: Subscription?
  private var watches: [NameWatch.Registration] = []
  private var isKnown = false
  private var owner: String?
  private var ownerText: [CChar]?

  init(_ name: String, _ connection: BusConnection) {
    self.name = name
    self.connection = connection
  }

  /// Subscribes to changes before querying the current owner: the reply reflects all earlier signals, and later signals
  /// are newer.
  func start() {
    connection?.loop.spawn { [self] in
      do {
        guard let connection else { throw BusError.disconnected }
        let rule = MatchRule(
          sender: Driver.name, path: Driver.path, interface: Driver.interface, member: "NameOwnerChanged",
          argument0: name)
        subscription = try await connection.subscribe(rule) { [weak self] in self?.change($0) }
        do {
          // The reply must take effect before later signals, so no task may run in between.
          let answer = Completion<Void>()
          try connection.call(Driver.call("GetNameOwner", [.string(name)])) { [self] result in
            switch result {
            case .success(let message):
              var reader = message.reader
              learn(reader.cString)
              answer.succeed(())
            case .failure(let error):
              if error.name == ErrorName.nameHasNoOwner { learn(nil) }
              answer.complete(isKnown ? .success(()) : .failure(error))
            }
          }
          try await answer.value()
        }
        known.succeed(())
      } catch {
        connection?.abandon(self)
        known.fail(error)
      }
    }
  }

  func add(_ watch: NameWatch.Registration) {
    watches.append(watch)
    if isKnown { watch.handler?(owner) }
  }

  func remove(_ watch: NameWatch.Registration) {
    watches.removeAll { $0 === watch }
    guard watches.isEmpty else { return }
    subscription?.cancel()
    connection?.abandon(self)
  }

  func isOwned(by sender: UnsafePointer<CChar>?) -> Bool {
    guard let ownerText, let sender else { return false }
    return strcmp(ownerText, sender) == 0
  }

  private func change(_ message: MessageView) {
    var reader = message.reader
    guard isKnown, reader.next(), reader.next(), let text = reader.cString else { return }
    learn(text.pointee == 0 ? nil : text)
  }

  private func learn(_ text: UnsafePointer<CChar>?) {
    let newOwner = text.map { String(cString: $0) }
    guard !isKnown || newOwner != owner else { return }
    isKnown = true
    owner = newOwner
    ownerText = newOwner.map { Array($0.utf8CString) }
    for watch in watches { watch.handler?(owner) }
  }
}
