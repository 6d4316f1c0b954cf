// swift-format-ignore-file
// Generated from state.proto by Sources/WireFormat/generator; do not edit.

/// State of the schema.
public struct StoredState: Hashable, Sendable, StoredObject {
  public var version: UInt32 = 0
  public var tags: [StoredTag] = []
  public var restorations: [StoredRestoration] = []

  public init() {}

  public static func with(_ fill: (inout Self) throws -> Void) rethrows -> Self {
    var object = Self()
    try fill(&object)
    return object
  }

  mutating func read(_ key: String, _ value: JSON, ignoringUnknown: Bool) throws(JSON.FormatError) -> Bool {
    switch key {
    case "version": try value.read(into: &self.version)
    case "tags": try value.read(into: &self.tags, ignoringUnknown)
    case "restorations": try value.read(into: &self.restorations, ignoringUnknown)
    default: return false
    }
    return true
  }

  func write(to output: inout JSONWriter) {
    output.member("version", version)
    output.member("tags", tags)
    output.member("restorations", restorations)
  }
}

/// A tag that is bound to this machine.
public struct StoredTag: Hashable, Sendable, StoredObject {
  public var identifier: String = ""
  public var address: String = ""
  public var serial: String = ""
  public var name: String = ""
  public var owner: String = ""
  public var profile: [StoredEntry] = []
  /// Seconds since 1970; 0 for never.
  public var boundAt: Int64 = 0
  public var lastConnected: Int64 = 0
  /// BlueZ's name when the tag was renamed, which BlueZ may continue to report.
  public var replacedName: String = ""
  /// The tag's identifiers before BlueZ resolved its private address. Programs may have stored them.
  public var formerIdentifiers: [String] = []

  public init() {}

  public static func with(_ fill: (inout Self) throws -> Void) rethrows -> Self {
    var object = Self()
    try fill(&object)
    return object
  }

  mutating func read(_ key: String, _ value: JSON, ignoringUnknown: Bool) throws(JSON.FormatError) -> Bool {
    switch key {
    case "identifier": try value.read(into: &self.identifier)
    case "address": try value.read(into: &self.address)
    case "serial": try value.read(into: &self.serial)
    case "name": try value.read(into: &self.name)
    case "owner": try value.read(into: &self.owner)
    case "profile": try value.read(into: &self.profile, ignoringUnknown)
    case "boundAt", "bound_at": try value.read(into: &self.boundAt)
    case "lastConnected", "last_connected": try value.read(into: &self.lastConnected)
    case "replacedName", "replaced_name": try value.read(into: &self.replacedName)
    case "formerIdentifiers", "former_identifiers": try value.read(into: &self.formerIdentifiers)
    default: return false
    }
    return true
  }

  func write(to output: inout JSONWriter) {
    output.member("identifier", identifier)
    output.member("address", address)
    output.member("serial", serial)
    output.member("name", name)
    output.member("owner", owner)
    output.member("profile", profile)
    output.member("boundAt", boundAt)
    output.member("lastConnected", lastConnected)
    output.member("replacedName", replacedName)
    output.member("formerIdentifiers", formerIdentifiers)
  }
}

/// Entry of the schema.
public struct StoredEntry: Hashable, Sendable, StoredObject {
  public var key: String = ""
  public var value: String = ""

  public init() {}

  public static func with(_ fill: (inout Self) throws -> Void) rethrows -> Self {
    var object = Self()
    try fill(&object)
    return object
  }

  mutating func read(_ key: String, _ value: JSON, ignoringUnknown: Bool) throws(JSON.FormatError) -> Bool {
    switch key {
    case "key": try value.read(into: &self.key)
    case "value": try value.read(into: &self.value)
    default: return false
    }
    return true
  }

  func write(to output: inout JSONWriter) {
    output.member("key", key)
    output.member("value", value)
  }
}

/// The tags that the programs of one restore id want to be connected to.
public struct StoredRestoration: Hashable, Sendable, StoredObject {
  public var restoreID: String = ""
  public var identifiers: [String] = []

  public init() {}

  public static func with(_ fill: (inout Self) throws -> Void) rethrows -> Self {
    var object = Self()
    try fill(&object)
    return object
  }

  mutating func read(_ key: String, _ value: JSON, ignoringUnknown: Bool) throws(JSON.FormatError) -> Bool {
    switch key {
    case "restoreId", "restore_id": try value.read(into: &self.restoreID)
    case "identifiers": try value.read(into: &self.identifiers)
    default: return false
    }
    return true
  }

  func write(to output: inout JSONWriter) {
    output.member("restoreId", restoreID)
    output.member("identifiers", identifiers)
  }
}

