import CDBus

/// The D-Bus specification's rules for names, paths and signatures. libdbus aborts the process if they are violated, so
/// everything is checked here first.
public enum Validity: Sendable {
  public static func isObjectPath(_ text: String) -> Bool { check(text, dbus_validate_path) }
  public static func isInterface(_ text: String) -> Bool { check(text, dbus_validate_interface) }
  public static func isMember(_ text: String) -> Bool { check(text, dbus_validate_member) }
  public static func isErrorName(_ text: String) -> Bool { check(text, dbus_validate_error_name) }
  public static func isBusName(_ text: String) -> Bool { check(text, dbus_validate_bus_name) }
  public static func isWellKnownName(_ text: String) -> Bool { isBusName(text) && !text.hasPrefix(":") }
  public static func isString(_ text: String) -> Bool { !text.utf8.contains(0) }
  public static func isSignature(_ text: String) -> Bool { check(text, dbus_signature_validate) }
  /// One complete type.
  public static func isType(_ text: String) -> Bool { check(text, dbus_signature_validate_single) }
  /// One type that is allowed as a dictionary key.
  public static func isBasicType(_ text: String) -> Bool {
    text.utf8.count == 1 && text.utf8.first.map { "ybnqiuxtdsogh".utf8.contains($0) } == true
  }

  private static func check(
    _ text: String, _ rule: (UnsafePointer<CChar>?, UnsafeMutablePointer<DBusError>?) -> dbus_bool_t
  ) -> Bool {
    guard isString(text) else { return false }
    return text.withCString { rule($0, nil) != 0 }
  }
}
