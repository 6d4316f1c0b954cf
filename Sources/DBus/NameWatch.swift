/// Watches the owner of a name. Ends with `cancel()` or with its last reference.
public final class NameWatch {
  final class Registration {
    private(set) var handler: ((String?) -> Void)?

    init(_ handler: @escaping (String?) -> Void) { self.handler = handler }

    var isActive: Bool { handler != nil }

    func end() {
      // Released last, after it was removed here, because releasing it may call back into this object.
      let released = handler
      handler = nil
      withExtendedLifetime(released) {}
    }
  }

  private let owner: NameOwner
  private let registration: Registration

  init(_ owner: NameOwner, _ handler: @escaping (String?) -> Void) {
    self.owner = owner
    registration = Registration(handler)
    owner.add(registration)
  }

  deinit { cancel() }

  public var name: String { owner.name }

  /// The handler is not called after this.
  public func cancel() {
    guard registration.isActive else { return }
    registration.end()
    owner.remove(registration)
  }

  func isOwned(by sender: UnsafePointer<CChar>?) -> Bool { owner.isOwned(by: sender) }
}
