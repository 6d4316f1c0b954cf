import CJacquard

/// The tag's configuration: how it advertises, and how motion wakes it. nil: not reported, or not to be changed.
public struct Configuration: Sendable, Hashable {
  /// Advertised name; `Tag.rename()` changes it immediately.
  public var name: String?
  /// dBm.
  public var txPower: Int32?
  /// dBm.
  public var txPowerMaximum: Int32?
  /// Advertising interval in the fast stage, in milliseconds.
  public var fastInterval: Float?
  /// Length of the fast stage, in seconds.
  public var fastDuration: UInt32?
  /// Advertising interval in the medium stage, in milliseconds.
  public var mediumInterval: Float?
  /// Length of the medium stage, in seconds.
  public var mediumDuration: UInt32?
  /// Advertising interval in the slow stage, in milliseconds.
  public var slowInterval: Float?
  /// Length of the slow stage, in seconds.
  public var slowDuration: UInt32?
  /// Minimum connection interval, in units of 1.25 ms.
  public var connectionIntervalMinimum: UInt32?
  /// Maximum connection interval, in units of 1.25 ms.
  public var connectionIntervalMaximum: UInt32?
  /// Notifications that the tag queues; set by the touch mode.
  public var queueDepth: UInt32?
  /// 1: motion wakes the tag.
  public var motionEnabled: UInt32?
  /// Sampling rate, 0 (0.78 Hz) doubling to 11 (1600 Hz).
  public var motionSensitivity: UInt32?
  /// Motion threshold, in units of the sensor.
  public var motionThreshold: UInt32?
  /// The tag sleeps after this time without motion, in milliseconds.
  public var motionTimeout: UInt32?
  /// Gear power during sleep: 0 on, 1 low power, 2 off.
  public var motionGearPower: UInt32?
  /// Link during sleep: 0 kept, 1 low power, 2 off.
  public var motionLink: UInt32?

  /// A configuration that changes nothing.
  public init() {}

  /// Copies each field whose bit is set.
  init(_ from: jacquard_configuration) {
    name = from.fields & JACQUARD_CONFIGURATION_FIELD_NAME.rawValue == 0 ? nil : text(from.name)
    Self.numbers.forEach { $0.read(&self, from) }
  }

  /// The struct of the header, without the name.
  fileprivate var cStruct: jacquard_configuration {
    var fields = sized(jacquard_configuration.self)
    if name != nil { fields.fields |= JACQUARD_CONFIGURATION_FIELD_NAME.rawValue }
    Self.numbers.forEach { $0.write(self, &fields) }
    return fields
  }

  /// How a field is read and written.
  private struct Field {
    let read: (inout Configuration, jacquard_configuration) -> Void
    let write: (Configuration, inout jacquard_configuration) -> Void
  }

  private static func field<Value>(
    _ bit: jacquard_configuration_field, _ ours: WritableKeyPath<Configuration, Value?>,
    _ theirs: WritableKeyPath<jacquard_configuration, Value>
  ) -> Field {
    Field(
      read: { own, fields in
        if fields.fields & bit.rawValue != 0 { own[keyPath: ours] = fields[keyPath: theirs] }
      },
      write: { own, fields in
        guard let value = own[keyPath: ours] else { return }
        fields[keyPath: theirs] = value
        fields.fields |= bit.rawValue
      })
  }

  private static var numbers: [Field] {
    [
      field(JACQUARD_CONFIGURATION_FIELD_TX_POWER, \.txPower, \.tx_power),
      field(JACQUARD_CONFIGURATION_FIELD_TX_POWER_MAXIMUM, \.txPowerMaximum, \.tx_power_maximum),
      field(JACQUARD_CONFIGURATION_FIELD_FAST_INTERVAL, \.fastInterval, \.fast_interval_ms),
      field(JACQUARD_CONFIGURATION_FIELD_FAST_DURATION, \.fastDuration, \.fast_duration_s),
      field(JACQUARD_CONFIGURATION_FIELD_MEDIUM_INTERVAL, \.mediumInterval, \.medium_interval_ms),
      field(JACQUARD_CONFIGURATION_FIELD_MEDIUM_DURATION, \.mediumDuration, \.medium_duration_s),
      field(JACQUARD_CONFIGURATION_FIELD_SLOW_INTERVAL, \.slowInterval, \.slow_interval_ms),
      field(JACQUARD_CONFIGURATION_FIELD_SLOW_DURATION, \.slowDuration, \.slow_duration_s),
      field(
        JACQUARD_CONFIGURATION_FIELD_CONNECTION_INTERVAL_MINIMUM, \.connectionIntervalMinimum,
        \.connection_interval_minimum),
      field(
        JACQUARD_CONFIGURATION_FIELD_CONNECTION_INTERVAL_MAXIMUM, \.connectionIntervalMaximum,
        \.connection_interval_maximum),
      field(JACQUARD_CONFIGURATION_FIELD_QUEUE_DEPTH, \.queueDepth, \.queue_depth),
      field(JACQUARD_CONFIGURATION_FIELD_MOTION_ENABLED, \.motionEnabled, \.motion_enabled),
      field(JACQUARD_CONFIGURATION_FIELD_MOTION_SENSITIVITY, \.motionSensitivity, \.motion_sensitivity),
      field(JACQUARD_CONFIGURATION_FIELD_MOTION_THRESHOLD, \.motionThreshold, \.motion_threshold),
      field(JACQUARD_CONFIGURATION_FIELD_MOTION_TIMEOUT, \.motionTimeout, \.motion_timeout_ms),
      field(JACQUARD_CONFIGURATION_FIELD_MOTION_GEAR_POWER, \.motionGearPower, \.motion_gear_power),
      field(JACQUARD_CONFIGURATION_FIELD_MOTION_LINK, \.motionLink, \.motion_link),
    ]
  }
}

extension Tag {
  /// Reads the tag's configuration.
  public func configuration(timeout: Duration? = nil) async throws(JacquardError) -> Configuration {
    var options = requestOptions(timeout)
    return try await ask(self, Configuration.init) {
      jacquard_tag_read_configuration(handle.pointer, &options, { complete($0, $1, $2) }, $0, release, $1)
    }
  }

  /// Writes the fields that are not nil. Returns the sections that were written, as the tag now reports them; a tag may
  /// report none.
  @discardableResult
  public func configure(
    _ changes: Configuration, timeout: Duration? = nil
  ) async throws(JacquardError) -> Configuration {
    var options = requestOptions(timeout)
    return try await ask(self, Configuration.init) { context, request throws(JacquardError) in
      try withStrings([changes.name]) { strings in
        var fields = changes.cStruct
        fields.name = strings[0]
        return jacquard_tag_write_configuration(
          handle.pointer, &fields, &options, { complete($0, $1, $2) }, context, release, request)
      }
    }
  }
}
