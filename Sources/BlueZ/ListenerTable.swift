import DBus
import Glibc

/// The characteristics whose values somebody takes, found by path without making a String: this is on the way of every
/// notification.
struct ListenerTable {
  private struct Listener {
    let path: ContiguousArray<CChar>
    let characteristic: GattCharacteristic

    func isAt(_ other: UnsafePointer<CChar>) -> Bool {
      path.withUnsafeBufferPointer { $0.baseAddress.map { strcmp($0, other) == 0 } ?? false }
    }
  }

  private var buckets: [UInt64: [Listener]] = [:]

  mutating func insert(_ characteristic: GattCharacteristic) {
    remove(characteristic)
    let listener = Listener(path: characteristic.path.utf8CString, characteristic: characteristic)
    listener.path.withUnsafeBufferPointer { path in
      if let start = path.baseAddress { buckets[Self.hash(start), default: []].append(listener) }
    }
  }

  mutating func remove(_ characteristic: GattCharacteristic) {
    let key = characteristic.path.withCString(Self.hash)
    buckets[key]?.removeAll { $0.characteristic === characteristic }
    if buckets[key]?.isEmpty ?? false { buckets[key] = nil }
  }

  /// Whether the message was a notified value of one of the characteristics, and nothing else.
  func deliverValue(of message: MessageView) -> Bool {
    guard !buckets.isEmpty, let path = message.path, let bucket = buckets[Self.hash(path)],
      let listener = bucket.first(where: { $0.isAt(path) })
    else { return false }
    var reader = message.reader
    guard Self.equals(reader.cString, "org.bluez.GattCharacteristic1"), reader.next(), var entries = reader.enter()
    else { return false }
    // Mostly the value is the only entry. BlueZ sends properties that changed shortly before along with it.
    var isAlone = true
    repeat {
      guard var entry = entries.enter() else { return false }
      guard Self.equals(entry.cString, "Value"), entry.next(), var variant = entry.enter(), let value = variant.bytes
      else {
        isAlone = false
        continue
      }
      listener.characteristic.onValue?(value)
    } while entries.next()
    return isAlone
  }

  private static func equals(_ text: UnsafePointer<CChar>?, _ other: StaticString) -> Bool {
    guard let text else { return false }
    return strcmp(text, UnsafeRawPointer(other.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
  }

  /// FNV-1a; collisions only cost a comparison.
  private static func hash(_ text: UnsafePointer<CChar>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var cursor = text
    while cursor.pointee != 0 {
      hash = (hash ^ UInt64(UInt8(bitPattern: cursor.pointee))) &* 0x100_0000_01b3
      cursor += 1
    }
    return hash
  }
}
