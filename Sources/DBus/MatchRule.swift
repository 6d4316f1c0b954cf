/// The signals to receive. D-Bus specification, "Match Rules".
public struct MatchRule: Hashable, CustomStringConvertible, Sendable {
  /// A unique or well-known bus name; nil for any sender.
  public var sender: String?
  /// The object that sends the signal. Must be nil if `pathNamespace` is not.
  public var path: String?
  /// The path itself and everything below.
  ///
  /// A connection must not have two rules that differ only in this: when one is removed, dbus-daemon (1.14.10) compares
  /// them without their namespaces, and removes the one that was added last.
  public var pathNamespace: String?
  /// The interface that defines the signal; nil for any.
  public var interface: String?
  /// The name of the signal; nil for any.
  public var member: String?
  /// The first argument, a string.
  public var argument0: String?
  /// The first argument, a path: equal to this, or one of the two ends in '/' and is a prefix of the other.
  public var argument0Path: String?

  /// Parts that are nil match every signal. The rule is not validated until it is used.
  public init(
    sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil,
    member: String? = nil, argument0: String? = nil, argument0Path: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.interface = interface
    self.member = member
    self.argument0 = argument0
    self.argument0Path = argument0Path
  }

  /// The rule in the bus's syntax.
  public var description: String {
    let keys: [(String, String?)] = [
      ("type", "signal"), ("sender", sender), ("path", path), ("path_namespace", pathNamespace),
      ("interface", interface), ("member", member), ("arg0", argument0), ("arg0path", argument0Path),
    ]
    return keys.compactMap { key, value in value.map { "\(key)=\(Self.quote($0))" } }.joined(separator: ",")
  }

  /// Within apostrophes all characters are literal; an apostrophe must be outside of them, escaped.
  private static func quote(_ text: String) -> String {
    let pieces = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + pieces.joined(separator: #"'\''"#) + "'"
  }

  func check() throws(BusError) {
    let rules: [(String?, (String) -> Bool, String)] = [
      (sender, Validity.isBusName, "sender"), (path, Validity.isObjectPath, "path"),
      (pathNamespace, Validity.isObjectPath, "path namespace"), (interface, Validity.isInterface, "interface"),
      (member, Validity.isMember, "member"), (argument0, Validity.isString, "first argument"),
      (argument0Path, Validity.isString, "first argument"),
    ]
    for case (let value?, let rule, let name) in rules where !rule(value) {
      throw .invalidArgument("match rule: \(name)")
    }
    // The specification forbids using both; dbus-daemon's longest rule is 1024 bytes.
    guard path == nil || pathNamespace == nil else {
      throw .invalidArgument("match rule: both path and path namespace")
    }
    guard description.utf8.count <= 1024 else { throw .invalidArgument("match rule: too long") }
  }
}
