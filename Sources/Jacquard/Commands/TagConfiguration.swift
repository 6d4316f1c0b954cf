import JacquardWire

/// How the tag advertises, and how motion wakes it. Only fields that are set are written; the others are not changed.
public struct TagConfiguration: Equatable, Sendable {
  /// The advertised name; `Tag.rename` changes it immediately.
  public var name: String?
  /// Transmission power in dBm.
  public var txPower: Int32?
  /// Maximum transmission power in dBm.
  public var txPowerMaximum: Int32?
  /// Advertising interval in the fast stage.
  public var fastIntervalMilliseconds: Float?
  /// Length of the fast advertising stage.
  public var fastDurationSeconds: UInt32?
  /// Advertising interval in the medium stage.
  public var mediumIntervalMilliseconds: Float?
  /// Length of the medium advertising stage.
  public var mediumDurationSeconds: UInt32?
  /// Advertising interval in the slow stage.
  public var slowIntervalMilliseconds: Float?
  /// Length of the slow advertising stage.
  public var slowDurationSeconds: UInt32?
  /// Shortest connection interval, in units of 1.25 ms.
  public var connectionIntervalMinimum: UInt32?
  /// Longest connection interval, in units of 1.25 ms.
  public var connectionIntervalMaximum: UInt32?
  /// Number of notifications that the tag queues; each touch mode sets its own.
  public var queueDepth: UInt32?
  /// Whether motion wakes the tag.
  public var motionEnabled: Bool?
  /// Sampling rate of the wake-up sensor: 0 is 0.78 Hz, each step doubles it, 11 is 1600 Hz.
  public var motionSensitivity: UInt32?
  /// Motion that wakes the tag, in units of the sensor.
  public var motionThreshold: UInt32?
  /// Time without motion after which the tag sleeps.
  public var motionTimeoutMilliseconds: UInt32?
  /// Power of the gear while the tag sleeps: 0 on, 1 low power, 2 off.
  public var motionGearPower: UInt32?
  /// Link while the tag sleeps: 0 kept, 1 low power, 2 off.
  public var motionLink: UInt32?

  /// A configuration in which no field is set; set one before writing it.
  public init() {}
}

extension TagConfiguration {
  static let read = TagCommand<WireUJTConfigResponse>(.configRead, isRepeatable: true) {
    $0.configRead.imuConfig = false
    $0.configRead.bleConfig = true
    $0.configRead.womConfig = true
  } answer: {
    $0.hasConfigResponse ? $0.configResponse : nil
  }

  init(_ response: WireUJTConfigResponse) {
    let ble = response.bleConfig
    if ble.hasCustomAdvNameUtf8 { name = ble.customAdvName }
    if ble.hasTxPowerDefault { txPower = ble.txPowerDefault }
    if ble.hasTxPowerMax { txPowerMaximum = ble.txPowerMax }
    if ble.hasFastAdvIntervalMs { fastIntervalMilliseconds = ble.fastAdvIntervalMs }
    if ble.hasFastAdvDurationSec { fastDurationSeconds = ble.fastAdvDurationSec }
    if ble.hasMediumAdvIntervalMs { mediumIntervalMilliseconds = ble.mediumAdvIntervalMs }
    if ble.hasMediumAdvDurationSec { mediumDurationSeconds = ble.mediumAdvDurationSec }
    if ble.hasSlowAdvIntervalMs { slowIntervalMilliseconds = ble.slowAdvIntervalMs }
    if ble.hasSlowAdvDurationSec { slowDurationSeconds = ble.slowAdvDurationSec }
    if ble.hasMinConnInterval { connectionIntervalMinimum = ble.minConnInterval }
    if ble.hasMaxConnInterval { connectionIntervalMaximum = ble.maxConnInterval }
    if ble.hasNotifQueueDepth { queueDepth = ble.notifQueueDepth }
    let motion = response.womConfig
    if motion.hasEnable { motionEnabled = motion.enable }
    if motion.hasSensitivity { motionSensitivity = motion.sensitivity }
    if motion.hasMotionThreshold { motionThreshold = motion.motionThreshold }
    if motion.hasNoMotionTimeoutMs { motionTimeoutMilliseconds = motion.noMotionTimeoutMs }
    if motion.hasGearPowerPolicy { motionGearPower = motion.gearPowerPolicy }
    if motion.hasBleConnPolicy { motionLink = motion.bleConnPolicy }
  }

  /// A block without fields is not sent.
  func fill(_ request: inout WireUJTConfigWriteRequest) {
    if let name { request.bleConfig.customAdvName = name }
    if let txPower { request.bleConfig.txPowerDefault = txPower }
    if let txPowerMaximum { request.bleConfig.txPowerMax = txPowerMaximum }
    if let fastIntervalMilliseconds { request.bleConfig.fastAdvIntervalMs = fastIntervalMilliseconds }
    if let fastDurationSeconds { request.bleConfig.fastAdvDurationSec = fastDurationSeconds }
    if let mediumIntervalMilliseconds { request.bleConfig.mediumAdvIntervalMs = mediumIntervalMilliseconds }
    if let mediumDurationSeconds { request.bleConfig.mediumAdvDurationSec = mediumDurationSeconds }
    if let slowIntervalMilliseconds { request.bleConfig.slowAdvIntervalMs = slowIntervalMilliseconds }
    if let slowDurationSeconds { request.bleConfig.slowAdvDurationSec = slowDurationSeconds }
    if let connectionIntervalMinimum { request.bleConfig.minConnInterval = connectionIntervalMinimum }
    if let connectionIntervalMaximum { request.bleConfig.maxConnInterval = connectionIntervalMaximum }
    if let queueDepth { request.bleConfig.notifQueueDepth = queueDepth }
    if let motionEnabled { request.womConfig.enable = motionEnabled }
    if let motionSensitivity { request.womConfig.sensitivity = motionSensitivity }
    if let motionThreshold { request.womConfig.motionThreshold = motionThreshold }
    if let motionTimeoutMilliseconds { request.womConfig.noMotionTimeoutMs = motionTimeoutMilliseconds }
    if let motionGearPower { request.womConfig.gearPowerPolicy = motionGearPower }
    if let motionLink { request.womConfig.bleConnPolicy = motionLink }
  }
}

extension Tag {
  /// Reads how the tag advertises and how motion wakes it, but not the settings of the motion sensor.
  public func readConfiguration(deadline: Duration? = nil) async throws(JacquardError) -> TagConfiguration {
    TagConfiguration(try await send(TagConfiguration.read, deadline))
  }

  /// Writes the fields that are set. Returns the sections that the tag reports as written, possibly none.
  public func writeConfiguration(_ new: TagConfiguration, deadline: Duration? = nil) async throws(JacquardError)
    -> TagConfiguration
  {
    let command = TagCommand<WireUJTConfigResponse>(.configWrite) {
      new.fill(&$0.configWrite)
    } answer: {
      // A tag that responds only with OK has complied as well.
      $0.configResponse
    }
    return try await inTurn(deadline) { turn throws(JacquardError) in
      guard new != TagConfiguration() else { throw JacquardError.invalid("No field of the configuration is set.") }
      return TagConfiguration(try await turn.send(command))
    }
  }
}
