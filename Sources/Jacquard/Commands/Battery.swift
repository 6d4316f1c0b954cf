import JacquardWire

/// The tag's battery.
public struct Battery: Equatable, Sendable {
  /// 0 to 100.
  public var percent: UInt32
  /// Whether the tag is on USB power.
  public var charging: Bool
}

extension Battery {
  static let read = TagCommand<Battery>(.batteryStatus, isRepeatable: true) {
    $0.batteryStatusRequest.readBatteryLevel = true
    $0.batteryStatusRequest.readChargingStatus = true
  } answer: { response in
    guard response.hasBatteryStatusResponse else { return nil }
    let status = response.batteryStatusResponse
    guard status.hasBatteryLevel, status.hasChargingStatus else { return nil }
    return Battery(level: status.batteryLevel, chargingStatus: status.chargingStatus)
  }

  /// Nil unless both fields are present: ChargingStatus has no zero, so an absent field has no meaning.
  init?(_ notification: WireBatteryStatusNotification) {
    guard notification.hasBatteryLevel, notification.hasChargingStatus else { return nil }
    self.init(level: notification.batteryLevel, chargingStatus: notification.chargingStatus)
  }

  private static let charging: UInt32 = 1
  private static let notCharging: UInt32 = 2

  init(level: UInt32, chargingStatus: UInt32) {
    percent = min(level, 100)
    charging = chargingStatus == Self.charging
  }

  /// The tag's report of this value.
  var wire: WireBatteryStatusNotification {
    .with {
      $0.batteryLevel = percent
      $0.chargingStatus = charging ? Self.charging : Self.notCharging
    }
  }
}
