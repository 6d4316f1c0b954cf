import CJacquard

/// A tag that is bound to this machine.
public struct KnownTag: Sendable, Hashable {
  /// The identifier, as in `Advertisement`.
  public let identifier: String
  /// Bluetooth address.
  public let address: String
  /// Full serial number; "" if the tag does not report it.
  public let serial: String
  /// Name at the last connection.
  public let name: String
  /// The owner; "" if none.
  public let owner: String
  /// Text that was stored with the tag.
  public let profile: [String: String]
  /// Seconds since 1970.
  public let boundAt: Int64
  /// Seconds since 1970.
  public let lastConnected: Int64
  /// Whether it is wanted under the manager's `restoreID`.
  public let isWanted: Bool

  init(_ tag: jacquard_known_tag) {
    identifier = text(tag.identifier)
    address = text(tag.address)
    serial = text(tag.serial)
    name = text(tag.name)
    owner = text(tag.owner)
    let entries = elements(tag.profile, tag.profile_count).map { (text($0.key), text($0.value)) }
    profile = Dictionary(entries) { first, _ in first }
    boundAt = tag.bound_at
    lastConnected = tag.last_connected
    isWanted = tag.wanted != 0
  }
}

/// A tag that was wanted when the last manager with a `restoreID` ended.
public struct Restoration: Sendable {
  /// The identifier, as in `Advertisement`.
  public let identifier: String
  /// The known tag; nil if it is not bound to this machine.
  public let known: KnownTag?
  /// The connection that the library has begun; nil without `connectsAutomatically`.
  public let connection: Connection?

  init(_ restoration: jacquard_restoration, _ manager: Manager?) {
    identifier = text(restoration.identifier)
    known = value(restoration.known).map(KnownTag.init)
    connection = Connection(retaining: restoration.connection, identifier, manager)
  }
}

extension Manager {
  /// The tags that this user has bound to this machine, in the order in which they were bound. Needs no Bluetooth.
  ///
  /// - Parameter identifier: lists this tag if it is known, else none; nil: all
  /// - Throws: `.stateFile`, if the known tags cannot be read
  public func knownTags(_ identifier: String? = nil) async throws(JacquardError) -> [KnownTag] {
    try await askAll(self, KnownTag.init) { context, request throws(JacquardError) in
      try withStrings([identifier]) { strings in
        var options = sized(jacquard_list_known_options.self)
        options.identifier = strings[0]
        return jacquard_manager_list_known(
          handle.pointer, &options, { complete(Answer(pointer: $0, count: $1), $2, $3) }, context, release, request)
      }
    }
  }

  /// Replaces the text that is stored with a known tag. Needs no Bluetooth.
  ///
  /// - Throws: `.notFound`, `.stateFile`
  public func updateKnownTag(_ identifier: String, profile: [String: String]) async throws(JacquardError) {
    try await perform(self) { context, request throws(JacquardError) in
      try withProfile(profile) { entries, count throws(JacquardError) in
        try withString(identifier) { identifier in
          jacquard_manager_update_known(
            handle.pointer, identifier, entries, count, nil, { complete($0, $1) }, context, release, request)
        }
      }
    }
  }

  /// Forgets a tag: ends this manager's connection to it, and removes its bonds. The tag keeps its half of the bond.
  ///
  /// Cancelling does not undo steps already begun.
  /// - Throws: `.notFound`, `.bluezUnavailable`, `.permissionDenied`, `.busy`, `.poweredOff`, `.stateFile`
  public func unbind(_ identifier: String) async throws(JacquardError) {
    try await perform(self) { context, request throws(JacquardError) in
      try withString(identifier) { identifier in
        jacquard_manager_unbind(handle.pointer, identifier, nil, { complete($0, $1) }, context, release, request)
      }
    }
  }
}

/// Entries of a profile for a function of the library; nil: none are passed.
func withProfile<Value>(
  _ profile: [String: String]?, _ body: (UnsafePointer<jacquard_profile_entry>?, Int) throws(JacquardError) -> Value
) throws(JacquardError) -> Value {
  guard let profile else { return try body(nil, 0) }
  let pairs = profile.sorted { $0.key < $1.key }
  return try withStrings(pairs.flatMap { [$0.key, $0.value] }) { strings throws(JacquardError) in
    let entries = UnsafeMutableBufferPointer<jacquard_profile_entry>.allocate(capacity: pairs.count + 1)
    defer { entries.deallocate() }
    for index in pairs.indices {
      (entries.baseAddress! + index).initialize(
        to: jacquard_profile_entry(key: strings[2 * index]!, value: strings[2 * index + 1]!))
    }
    return try body(entries.baseAddress, pairs.count)
  }
}
