/// A tag that was wanted when the last manager with this restore ID ended.
public struct Restoration: Equatable, Sendable {
  public var identifier: TagIdentifier
  /// The stored record of the tag; nil if the tag is not bound to this machine.
  public var known: KnownTag?
}

extension Manager {
  /// Throws `invalidArgument` unless the ID is nil or 1 to 255 bytes long.
  public static func check(restoreID: String?) throws(JacquardError) {
    guard restoreID.map({ (1...255).contains($0.utf8.count) }) ?? true else {
      throw JacquardError.invalid("restore_id is not 1 to 255 bytes long.")
    }
  }

  /// The wanted tags; empty without a restore ID.
  public func restorations() async throws(JacquardError) -> [Restoration] {
    guard core.knownTags.restoreID != nil else { return [] }
    return try core.knownTags.wanted().map { Restoration(identifier: $0, known: $1) }
  }
}

extension Connection.Options {
  /// Options of connections that the library creates itself: they wait for the tag and the adapter without a limit.
  public static var restored: Connection.Options {
    var options = Connection.Options()
    options.timeout = .unlimited
    options.waitForAdapter = true
    return options
  }
}
