import BlueZ
import JacquardWire

/// The characteristics of a tag's Jacquard service.
struct TagCharacteristics {
  let command: GattCharacteristic
  let response: GattCharacteristic
  let notification: GattCharacteristic
  let rawData: GattCharacteristic

  init(of device: Device, _ cache: ObjectCache) throws(JacquardError) {
    func find(_ uuid: String, _ name: String) throws(JacquardError) -> GattCharacteristic {
      guard let found = cache.characteristic(uuid, service: GATT.service, of: device) else {
        throw JacquardError(.incompleteGatt, "The tag's \(name) characteristic is missing.")
      }
      return found
    }
    command = try find(GATT.command, "command")
    response = try find(GATT.response, "response")
    notification = try find(GATT.notification, "notification")
    rawData = try find(GATT.rawData, "raw data")
    guard !command.flags.isDisjoint(with: ["write", "write-without-response"]) else {
      throw JacquardError(.incompleteGatt, "The tag's command characteristic is not writable.")
    }
  }

  /// The characteristics whose values the tag sends, with their names in messages, in the order in which notifications
  /// are enabled.
  var senders: [(characteristic: GattCharacteristic, name: String)] {
    [(response, "response"), (notification, "notification"), (rawData, "raw data")]
  }

  /// Whether BlueZ has not exported other objects since.
  var areIntact: Bool { !command.isGone && senders.allSatisfy { !$0.characteristic.isGone } }
}
