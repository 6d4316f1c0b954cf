import JacquardWire

/// How the tag advertises, and how motion wakes it. Only fields that are set are written; the others are not changed.
public struct TagConfiguration: Equatable, Sendable {
  public var name: String?
  public var txPower: Int32?
  public var txPowerMaximum: Int32?
  public var fastIntervalMilliseconds: Float?
  public var fastDurationSeconds: UInt32?
  public var mediumIntervalMilliseconds: Float?
  public var mediumDurationSeconds: UInt32?
  public var slowIntervalMilliseconds: Float?
  public var slowDurationSeconds: UInt32?
  public var connectionIntervalMinimum: UInt32?
  public var connectionIntervalMaximum: UInt32?
  public var queueDepth: UInt32?
  public var motionEnabled: Bool?
  public var motionSensitivity: UInt32?
  public var motionThreshold: UInt32?
  public var motionTimeoutMilliseconds: UInt32?
  public var motionGearPower: UInt32?
  public var motionLink: UInt32?

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
  public func readConfiguration(deadline: Duration? = nil) async throws(JacquardError) -> TagConfiguration {
    TagConfiguration(try await send(TagConfiguration.read, deadline))
  }

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
