import TagStore

/// The stored record of a tag that is bound to this machine.
public struct KnownTag: Equatable, Sendable {
  public var identifier: TagIdentifier
  public var address: String
  /// The full serial number; empty if the tag does not report it.
  public var serial: String
  /// The name at the last connection, or a later one that this program has given the tag.
  public var name: String
  /// BlueZ's name of a tag that was renamed, which it may continue to report.
  public var replacedName: String?
  /// The owner for whom the tag was bound; nil if none was named.
  public var owner: String?
  /// Application data, as passed to `bind` or `updateKnown`.
  public var profile: [ProfileEntry]
  /// Seconds since 1970.
  public var boundAt: Int64
  /// Seconds since 1970.
  public var lastConnected: Int64
  /// The tag is wanted under this manager's restore ID.
  public var isWanted = false
}

/// Application data stored with a tag.
public struct ProfileEntry: Equatable, Sendable {
  /// The maximum number of entries in a profile.
  public static let most = 64
  static let longestKey = 256
  static let longestValue = 4096

  /// 1 to 256 bytes; each key may occur once in a profile.
  public var key: String
  /// Up to 4096 bytes.
  public var value: String

  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }

  /// Throws `invalidArgument` for more than 64 entries, a repeated key, or a text of the wrong length.
  public static func check(_ profile: [ProfileEntry]) throws(JacquardError) {
    guard profile.count <= most else { throw JacquardError.invalid("The profile has more than \(most) entries.") }
    guard Set(profile.map(\.key)).count == profile.count else {
      throw JacquardError.invalid("A key of the profile occurs twice.")
    }
    for entry in profile {
      guard (1...longestKey).contains(entry.key.utf8.count) else {
        throw JacquardError.invalid("A key of the profile is not 1 to \(longestKey) bytes long.")
      }
      guard entry.value.utf8.count <= longestValue else {
        throw JacquardError.invalid("A value of the profile is longer than \(longestValue) bytes.")
      }
    }
  }
}

extension KnownTag {
  /// Nil for a record that no version of this library writes.
  init?(_ stored: StoredTag) {
    guard let identifier = TagIdentifier(text: stored.identifier) else { return nil }
    self.init(
      identifier: identifier, address: stored.address, serial: stored.serial, name: stored.name,
      owner: stored.owner.isEmpty ? nil : stored.owner, profile: stored.profile.map { ProfileEntry($0.key, $0.value) },
      boundAt: stored.boundAt, lastConnected: stored.lastConnected)
    if !stored.replacedName.isEmpty { replacedName = stored.replacedName }
  }
}

extension [StoredEntry] {
  init(_ profile: [ProfileEntry]) {
    self = profile.map { entry in
      StoredEntry.with {
        $0.key = entry.key
        $0.value = entry.value
      }
    }
  }
}
