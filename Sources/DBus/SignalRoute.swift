import Glibc

/// The destination of signals that match a rule.
final class SignalRoute {
  let rule: MatchRule
  private(set) var handler: ((MessageView) -> Void)?

  private let path: [CChar]?
  private let pathNamespace: [CChar]?
  private let interface: [CChar]?
  private let member: [CChar]?
  private let argument0: [CChar]?
  private let argument0Path: [CChar]?
  private let sender: [CChar]?
  /// Signals have unique names as senders; for a rule with a well-known name, its owner is tracked.
  let owner: NameWatch?

  init(_ rule: MatchRule, owner: NameWatch?, _ handler: @escaping (MessageView) -> Void) {
    self.rule = rule
    self.owner = owner
    self.handler = handler
    sender = owner == nil ? rule.sender.map { Array($0.utf8CString) } : nil
    path = rule.path.map { Array($0.utf8CString) }
    pathNamespace = rule.pathNamespace.map { Array($0.utf8CString) }
    interface = rule.interface.map { Array($0.utf8CString) }
    member = rule.member.map { Array($0.utf8CString) }
    argument0 = rule.argument0.map { Array($0.utf8CString) }
    argument0Path = rule.argument0Path.map { Array($0.utf8CString) }
  }

  var isActive: Bool { handler != nil }

  func end() {
    // Released last, after it was removed here, because releasing it may call back into this object.
    let released = handler
    handler = nil
    owner?.cancel()
    withExtendedLifetime(released) {}
  }

  /// The bus sends a signal once for all matching rules, and any client can send a signal directly, so each signal is
  /// matched against the rule again.
  func matches(_ message: MessageView) -> Bool {
    Self.equal(member, message.member)
      && Self.equal(path, message.path)
      && Self.equal(interface, message.interface)
      && isInNamespace(message.path)
      && isFromSender(message.sender)
      && hasArgument(message)
  }

  private static func equal(_ wanted: [CChar]?, _ text: UnsafePointer<CChar>?) -> Bool {
    guard let wanted else { return true }
    guard let text else { return false }
    return strcmp(wanted, text) == 0
  }

  private func isInNamespace(_ path: UnsafePointer<CChar>?) -> Bool {
    guard let pathNamespace else { return true }
    guard let path else { return false }
    let length = pathNamespace.count - 1
    if length == 1 { return true }
    guard strncmp(path, pathNamespace, length) == 0 else { return false }
    return path[length] == 0 || path[length] == CChar(bitPattern: UInt8(ascii: "/"))
  }

  private func isFromSender(_ sender: UnsafePointer<CChar>?) -> Bool {
    if let owner { return owner.isOwned(by: sender) }
    return Self.equal(self.sender, sender)
  }

  private func hasArgument(_ message: MessageView) -> Bool {
    guard argument0 != nil || argument0Path != nil else { return true }
    var reader = message.reader
    let type = reader.type
    guard type == .string || type == .objectPath, let text = reader.cString else { return false }
    if argument0 != nil { guard type == .string, Self.equal(argument0, text) else { return false } }
    guard let argument0Path else { return true }
    return argument0Path.withUnsafeBufferPointer { wanted in
      guard let wanted = wanted.baseAddress else { return false }
      return strcmp(wanted, text) == 0 || Self.isParent(wanted, of: text) || Self.isParent(text, of: wanted)
    }
  }

  private static func isParent(_ parent: UnsafePointer<CChar>, of child: UnsafePointer<CChar>) -> Bool {
    let length = strlen(parent)
    return length > 0 && parent[length - 1] == CChar(bitPattern: UInt8(ascii: "/"))
      && strncmp(parent, child, length) == 0
  }
}
