import JacquardWire

/// The tag's configuration blocks, with the values from recordings of a real tag.
struct SimulatedConfiguration {
  var ble = WireBleConfiguration()
  var imu = WireImuConfiguration()
  var wakeOnMotion = WireWomConfiguration()

  init(name: String) {
    ble.customAdvName = name
    ble.txPowerDefault = -12
    ble.txPowerMax = 0
    ble.fastAdvIntervalMs = 20
    ble.fastAdvDurationSec = 60
    ble.slowAdvIntervalMs = 1285
    ble.slowAdvDurationSec = 60
    ble.minConnInterval = 6
    ble.maxConnInterval = 400
    ble.notifQueueDepth = 14

    imu.sensorID = 0
    imu.accelLowPowerMode = false
    imu.accelFilterMode = 2
    imu.accelSampleRate = 5
    imu.accelRange = 3
    imu.gyroLowPowerMode = false
    imu.gyroFilterMode = 2
    imu.gyroSampleRate = 0
    imu.gyroRange = 4

    wakeOnMotion.enable = true
    wakeOnMotion.sensitivity = 2
    wakeOnMotion.motionThreshold = 20
    wakeOnMotion.noMotionTimeoutMs = 600_000
    wakeOnMotion.gearPowerPolicy = 0
    wakeOnMotion.bleConnPolicy = 2
  }

  /// Changes the fields in `request` and keeps the others; changes nothing if one of them is invalid.
  mutating func apply(_ request: WireUJTConfigWriteRequest) throws {
    var changed = self
    // Merging protobuf messages does this: it replaces the fields that are present and keeps the others.
    try changed.ble.merge(serializedBytes: request.bleConfig.serializedBytes())
    try changed.imu.merge(serializedBytes: request.imuConfig.serializedBytes())
    try changed.wakeOnMotion.merge(serializedBytes: request.womConfig.serializedBytes())
    try changed.check()
    self = changed
  }

  private func check() throws {
    func limit(_ value: UInt32, _ range: ClosedRange<UInt32>, _ name: String) throws {
      guard range.contains(value) else { throw Refusal.breach(.valueOutOfRange, "\(name) \(value)") }
    }
    guard (1...21).contains(ble.customAdvName.utf8.count) else {
      throw Refusal.breach(.valueOutOfRange, "name of \(ble.customAdvName.utf8.count) bytes")
    }
    try limit(ble.notifQueueDepth, 1...255, "notif_queue_depth")
    try limit(imu.sensorID, 0...1, "sensor_id")
    try limit(imu.accelSampleRate, 0...11, "accel_sample_rate")
    try limit(imu.accelRange, 0...3, "accel_range")
    try limit(imu.accelFilterMode, 0...2, "accel_filter_mode")
    try limit(imu.gyroSampleRate, 0...7, "gyro_sample_rate")
    try limit(imu.gyroRange, 0...4, "gyro_range")
    try limit(imu.gyroFilterMode, 0...2, "gyro_filter_mode")
    try limit(wakeOnMotion.sensitivity, 0...11, "sensitivity")
  }
}
