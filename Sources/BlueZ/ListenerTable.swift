import DBus
import Glibc

/// The characteristics with listeners for their values, found by path without creating a String, because every
/// notification passes through here.
struct ListenerTable {
  private struct Listener {
    let hash: UInt64
    let path: ContiguousArray<CChar>
    let characteristic: GattCharacteristic

    func isAt(_ other: UnsafePointer<CChar>) -> Bool {
      path.withUnsafeBufferPointer { $0.baseAddress.map { strcmp($0, other) == 0 } ?? false }
    }
  }

  /// There are a few for each tag: a linear search is faster than a dictionary.
  private var listeners: [Listener] = []

  mutating func insert(_ characteristic: GattCharacteristic) {
    remove(characteristic)
    listeners.append(
      Listener(
        hash: characteristic.path.withCString(textHash), path: characteristic.path.utf8CString,
        characteristic: characteristic))
  }

  mutating func remove(_ characteristic: GattCharacteristic) {
    listeners.removeAll { $0.characteristic === characteristic }
  }

  private func listener(at path: UnsafePointer<CChar>) -> GattCharacteristic? {
    let hash = textHash(path)
    for listener in listeners where listener.hash == hash && listener.isAt(path) { return listener.characteristic }
    return nil
  }

  /// Returns whether the message contained only a notified value of one of the characteristics. Later ones like it are
  /// then read in place.
  func deliverValue(of message: MessageView, _ traffic: PeerTraffic, _ connection: BusConnection) -> Bool {
    guard !listeners.isEmpty, let path = message.path, let listener = listener(at: path) else { return false }
    var reader = message.reader
    guard Self.equals(reader.cString, "org.bluez.GattCharacteristic1"), reader.next(), var entries = reader.enter()
    else { return false }
    // Usually the value is the only entry. BlueZ includes properties that changed shortly before.
    var isAlone = true
    var latest: UnsafeRawBufferPointer?
    repeat {
      guard var entry = entries.enter() else { return false }
      guard Self.equals(entry.cString, "Value"), entry.next(), var variant = entry.enter(), let value = variant.bytes
      else {
        isAlone = false
        continue
      }
      latest = value
      listener.signalled(value, serial: message.serial, elsewhere: traffic.elsewhere)
    } while entries.next()
    if isAlone, let latest { listener.readInPlace(latest, traffic, connection) }
    return isAlone
  }

  private static func equals(_ text: UnsafePointer<CChar>?, _ other: StaticString) -> Bool {
    guard let text else { return false }
    return strcmp(text, UnsafeRawPointer(other.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }
}
