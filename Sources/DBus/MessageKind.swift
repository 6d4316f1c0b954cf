import CDBus

public enum MessageKind: Hashable, Sendable {
  case methodCall
  case methodReturn
  case error
  case signal
  /// To be ignored according to the specification.
  case unknown

  init(code: Int32) {
    switch code {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: self = .methodCall
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: self = .methodReturn
    case DBUS_MESSAGE_TYPE_ERROR: self = .error
    case DBUS_MESSAGE_TYPE_SIGNAL: self = .signal
    default: self = .unknown
    }
  }
}
