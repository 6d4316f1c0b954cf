import CDBus

/// Calls of one method that differ in the bytes of their first argument.
///
/// libdbus copies a message with a fiftieth of the instructions that it needs to write one (1.14), so the latest call
/// is copied while destination and length stay.
public struct BytesCall {
  private let path: String
  private let interface: String
  private let member: String
  private let others: [Value]
  private var latest: (call: Message, length: Int)?

  /// - Parameter others: the arguments after the bytes.
  public init(path: String, interface: String, member: String, others: [Value]) {
    (self.path, self.interface, self.member, self.others) = (path, interface, member, others)
  }

  /// Returns an unsent call whose first argument is `bytes`. Throws for an invalid destination.
  public mutating func message(to destination: String, _ bytes: [UInt8]) throws(BusError) -> Message {
    if let latest, latest.length == bytes.count, latest.call.destination == destination,
      let call = Self.replaceBytes(of: try latest.call.unsentCopy(), with: bytes)
    {
      return call
    }
    let call = try Message.methodCall(
      destination: destination, path: path, interface: interface, member: member, [.bytes(bytes)] + others)
    latest = (call, bytes.count)
    return call
  }

  /// Writes to the array in the message, whose address libdbus returns: it has no function that changes an argument.
  private static func replaceBytes(of call: Message, with bytes: [UInt8]) -> Message? {
    var arguments = DBusMessageIter()
    var array = DBusMessageIter()
    var place: UnsafeMutableRawPointer?
    var length: Int32 = 0
    guard dbus_message_iter_init(call.pointer, &arguments) != 0 else { return nil }
    dbus_message_iter_recurse(&arguments, &array)
    dbus_message_iter_get_fixed_array(&array, &place, &length)
    guard let place, Int(length) == bytes.count else { return nil }
    place.copyMemory(from: bytes, byteCount: bytes.count)
    return call
  }
}
