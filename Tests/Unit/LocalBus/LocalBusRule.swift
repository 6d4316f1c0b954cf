import CDBus
import Glibc

/// A match rule, as the bus reads it. D-Bus specification, "Match Rules".
struct LocalBusRule: Equatable {
  private enum Key: Equatable {
    case type, sender, destination, interface, member, path, pathNamespace, eavesdrop
    case argument(Int)
    case argumentPath(Int)
    case argumentNamespace
  }

  private struct Condition: Equatable {
    let key: Key
    let value: String
  }

  private var conditions: [Condition] = []

  private static let types: [String: Int32] = [
    "method_call": DBUS_MESSAGE_TYPE_METHOD_CALL, "method_return": DBUS_MESSAGE_TYPE_METHOD_RETURN,
    "error": DBUS_MESSAGE_TYPE_ERROR, "signal": DBUS_MESSAGE_TYPE_SIGNAL,
  ]

  /// Two rules are equal regardless of the order of their keys. dbus-daemon (1.14.10) does not compare path namespaces,
  /// so removing a rule may remove another one.
  static func == (left: LocalBusRule, right: LocalBusRule) -> Bool {
    left.conditions.count == right.conditions.count
      && left.conditions.allSatisfy { condition in
        right.conditions.contains {
          $0 == condition || condition.key == .pathNamespace && $0.key == .pathNamespace
        }
      }
  }

  // MARK: Parsing

  /// Returns nil if the rule is malformed.
  init?(parsing text: String) {
    var rest = text[...]
    while let equals = rest.firstIndex(of: "=") {
      guard let key = Self.key(rest[..<equals]) else { return nil }
      rest = rest[rest.index(after: equals)...]
      guard let value = Self.value(&rest), Self.isValid(value, for: key), !conditions.contains(where: { $0.key == key })
      else { return nil }
      conditions.append(Condition(key: key, value: value))
    }
    guard rest.isEmpty else { return nil }
  }

  private static func key(_ text: Substring) -> Key? {
    switch text {
    case "type": return .type
    case "sender": return .sender
    case "destination": return .destination
    case "interface": return .interface
    case "member": return .member
    case "path": return .path
    case "path_namespace": return .pathNamespace
    case "eavesdrop": return .eavesdrop
    case "arg0namespace": return .argumentNamespace
    default:
      guard text.hasPrefix("arg") else { return nil }
      let isPath = text.hasSuffix("path")
      guard let number = Int(text.dropFirst(3).dropLast(isPath ? 4 : 0)), (0...63).contains(number) else { return nil }
      return isPath ? .argumentPath(number) : .argument(number)
    }
  }

  /// Reads a value, up to a comma. Text in apostrophes is literal; outside them a backslash escapes an apostrophe.
  private static func value(_ rest: inout Substring) -> String? {
    var value = ""
    var isQuoted = false
    while let character = rest.popFirst() {
      switch character {
      case "'": isQuoted.toggle()
      case "\\" where !isQuoted && rest.first == "'":
        rest.removeFirst()
        value.append("'")
      case "," where !isQuoted: return value
      default: value.append(character)
      }
    }
    return isQuoted ? nil : value
  }

  private static func isValid(_ value: String, for key: Key) -> Bool {
    switch key {
    case .type: types[value] != nil
    case .sender, .destination: dbus_validate_bus_name(value, nil) != 0
    case .interface: dbus_validate_interface(value, nil) != 0
    case .member: dbus_validate_member(value, nil) != 0
    case .path, .pathNamespace: dbus_validate_path(value, nil) != 0
    case .eavesdrop, .argument, .argumentPath, .argumentNamespace: true
    }
  }

  // MARK: Matching

  /// - Parameter senderNames: all names that the sender owns.
  func matches(_ message: OpaquePointer, from senderNames: [String]) -> Bool {
    conditions.allSatisfy { Self.holds($0, message, senderNames) }
  }

  private static func holds(_ condition: Condition, _ message: OpaquePointer, _ senderNames: [String]) -> Bool {
    let value = condition.value
    switch condition.key {
    case .type: return types[value] == dbus_message_get_type(message)
    case .sender: return senderNames.contains(value)
    case .destination: return isEqual(dbus_message_get_destination(message), value)
    case .interface: return isEqual(dbus_message_get_interface(message), value)
    case .member: return isEqual(dbus_message_get_member(message), value)
    case .path: return isEqual(dbus_message_get_path(message), value)
    case .pathNamespace:
      return dbus_message_get_path(message).map { isWithin(String(cString: $0), value, "/") } ?? false
    case .eavesdrop: return true
    case .argument(let number):
      let argument = argument(number, message)
      return argument?.type == "s" && argument?.text == value
    case .argumentNamespace:
      let argument = argument(0, message)
      return argument?.type == "s" && isWithin(argument?.text ?? "", value, ".")
    case .argumentPath(let number):
      guard let argument = argument(number, message), argument.type == "s" || argument.type == "o" else { return false }
      return argument.text == value || (value.hasSuffix("/") && argument.text.hasPrefix(value))
        || (argument.text.hasSuffix("/") && value.hasPrefix(argument.text))
    }
  }

  private static func argument(_ number: Int, _ message: OpaquePointer) -> LocalBusMessage.Received? {
    let arguments = LocalBusMessage.arguments(of: message, atMost: number + 1)
    return number < arguments.count ? arguments[number] : nil
  }

  private static func isEqual(_ text: UnsafePointer<CChar>?, _ value: String) -> Bool {
    text.map { strcmp($0, value) == 0 } ?? false
  }

  private static func isWithin(_ text: String, _ namespace: String, _ separator: String) -> Bool {
    text == namespace || namespace == separator || text.hasPrefix(namespace + separator)
  }
}
