/// How the tag advertises.
struct Presence {
  var inRange = true
  var advertises = true
  /// The tag sleeps until it is moved.
  var asleep = false
  var rebooting = false
  var rssi: Int16 = -60
  var interval: Duration = .milliseconds(100)
  /// Damage to the next packet of a characteristic.
  var nextFault: [TagCharacteristic: PacketDamage] = [:]
}

struct SimulatedBattery: Equatable {
  var level: UInt32 = 80
  var charging = false

  /// ChargingStatus: 1 charging, 2 not.
  var wireStatus: UInt32 { charging ? 1 : 2 }
}

/// The attached gear. The component ID is new for each attachment.
struct Attachment {
  var gear: Gear
  var componentID: UInt32
  /// DataStreamState of the two streams, as the host has set them.
  var inference: UInt32 = 0
  var touch: UInt32 = 0
  var touchSequence: UInt32 = 0
}
