/// A tag that was wanted when the last manager of this restore id ended.
public struct Restoration: Equatable {
  public var identifier: TagIdentifier
  /// Nil when it is not bound to this machine.
  public var known: KnownTag?
}

extension Manager {
  public static func check(restoreID: String?) throws {
    guard restoreID.map({ (1...255).contains($0.utf8.count) }) ?? true else {
      throw JacquardError.invalid("restore_id is not 1 to 255 bytes long.")
    }
  }

  /// What was wanted; none without a restore id.
  public func restorations() async throws -> [Restoration] {
    guard core.knownTags.restoreID != nil else { return [] }
    return try await core.knownTags.wanted().map { Restoration(identifier: $0, known: $1) }
  }
}

extension Connection.Options {
  /// For a connection that nobody has asked for just now: it waits as long as it takes.
  public static var restored: Connection.Options {
    var options = Connection.Options()
    options.timeout = nil
    options.waitForAdapter = true
    return options
  }
}
