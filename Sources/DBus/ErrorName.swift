/// Error names shared by all services.
public enum ErrorName: Sendable {
  public static let failed = "org.freedesktop.DBus.Error.Failed"
  public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
  public static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
  public static let noReply = "org.freedesktop.DBus.Error.NoReply"
  public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
  public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
  public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
  public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
  public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
  public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
  public static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
}
