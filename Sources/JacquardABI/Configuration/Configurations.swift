import CJacquard
import Jacquard

@_cdecl("jacquard_tag_read_configuration") @implementation
public func jacquard_tag_read_configuration(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_configuration_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    try handle.manager.request(
      options, userData, destroy, request,
      { [tag = handle.tag] in try await tag.value.readConfiguration(deadline: $0) },
      deliver(to: try required(callback, "callback")))
  }
}

@_cdecl("jacquard_tag_write_configuration") @implementation
public func jacquard_tag_write_configuration(
  _ tag: OpaquePointer?, _ configuration: UnsafePointer<jacquard_configuration>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_configuration_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let new = try TagConfiguration(
      try required(Arguments.options(configuration), "configuration"))
    return try handle.manager.request(
      options, userData, destroy, request,
      { [tag = handle.tag] in try await tag.value.writeConfiguration(new, deadline: $0) },
      deliver(to: try required(callback, "callback")))
  }
}

private func deliver(
  to callback: @escaping jacquard_configuration_callback
) -> @Sendable (Result<TagConfiguration, JacquardError>, UnsafeMutableRawPointer?) -> Void {
  { result, userData in
    switch result {
    case .success(let configuration): configuration.withC { callback($0, nil, userData) }
    case .failure(let error): withCError(error) { callback(nil, $0, userData) }
    }
  }
}

extension TagConfiguration {
  /// The bit of `fields` for each field except the name.
  private typealias Field = (
    bit: jacquard_configuration_field, read: @Sendable (inout TagConfiguration, jacquard_configuration) throws -> Void,
    write: @Sendable (TagConfiguration, inout jacquard_configuration) -> Bool
  )

  private static func field<Value>(
    _ bit: jacquard_configuration_field, _ ours: any WritableKeyPath<TagConfiguration, Value?> & Sendable,
    _ theirs: any WritableKeyPath<jacquard_configuration, Value> & Sendable
  ) -> Field {
    (
      bit, { $0[keyPath: ours] = $1[keyPath: theirs] },
      { configuration, copy in
        guard let value = configuration[keyPath: ours] else { return false }
        copy[keyPath: theirs] = value
        return true
      }
    )
  }

  private static let fields: [Field] = [
    field(JACQUARD_CONFIGURATION_FIELD_TX_POWER, \.txPower, \.tx_power),
    field(JACQUARD_CONFIGURATION_FIELD_TX_POWER_MAXIMUM, \.txPowerMaximum, \.tx_power_maximum),
    field(JACQUARD_CONFIGURATION_FIELD_FAST_INTERVAL, \.fastIntervalMilliseconds, \.fast_interval_ms),
    field(JACQUARD_CONFIGURATION_FIELD_FAST_DURATION, \.fastDurationSeconds, \.fast_duration_s),
    field(JACQUARD_CONFIGURATION_FIELD_MEDIUM_INTERVAL, \.mediumIntervalMilliseconds, \.medium_interval_ms),
    field(JACQUARD_CONFIGURATION_FIELD_MEDIUM_DURATION, \.mediumDurationSeconds, \.medium_duration_s),
    field(JACQUARD_CONFIGURATION_FIELD_SLOW_INTERVAL, \.slowIntervalMilliseconds, \.slow_interval_ms),
    field(JACQUARD_CONFIGURATION_FIELD_SLOW_DURATION, \.slowDurationSeconds, \.slow_duration_s),
    field(
      JACQUARD_CONFIGURATION_FIELD_CONNECTION_INTERVAL_MINIMUM, \.connectionIntervalMinimum,
      \.connection_interval_minimum),
    field(
      JACQUARD_CONFIGURATION_FIELD_CONNECTION_INTERVAL_MAXIMUM, \.connectionIntervalMaximum,
      \.connection_interval_maximum),
    field(JACQUARD_CONFIGURATION_FIELD_QUEUE_DEPTH, \.queueDepth, \.queue_depth),
    (
      JACQUARD_CONFIGURATION_FIELD_MOTION_ENABLED,
      { $0.motionEnabled = try Arguments.flag($1.motion_enabled, "motion_enabled") },
      { configuration, copy in
        guard let value = configuration.motionEnabled else { return false }
        copy.motion_enabled = value ? 1 : 0
        return true
      }
    ),
    field(JACQUARD_CONFIGURATION_FIELD_MOTION_SENSITIVITY, \.motionSensitivity, \.motion_sensitivity),
    field(JACQUARD_CONFIGURATION_FIELD_MOTION_THRESHOLD, \.motionThreshold, \.motion_threshold),
    field(JACQUARD_CONFIGURATION_FIELD_MOTION_TIMEOUT, \.motionTimeoutMilliseconds, \.motion_timeout_ms),
    field(JACQUARD_CONFIGURATION_FIELD_MOTION_GEAR_POWER, \.motionGearPower, \.motion_gear_power),
    field(JACQUARD_CONFIGURATION_FIELD_MOTION_LINK, \.motionLink, \.motion_link),
  ]

  fileprivate init(_ given: jacquard_configuration) throws {
    self.init()
    var rest = given.fields
    for field in Self.fields where given.fields & field.bit.rawValue != 0 {
      try field.read(&self, given)
      rest &= ~field.bit.rawValue
    }
    if given.fields & JACQUARD_CONFIGURATION_FIELD_NAME.rawValue != 0 {
      let name = try required(try Arguments.string(given.name, "name"), "name")
      try Tag.checkName(name)
      self.name = name
      rest &= ~JACQUARD_CONFIGURATION_FIELD_NAME.rawValue
    }
    guard rest == 0, given.fields != 0 else {
      throw JacquardError.invalid("fields is not a sum of jacquard_configuration_field values.")
    }
    guard motionSensitivity ?? 0 <= 11, motionGearPower ?? 0 <= 2, motionLink ?? 0 <= 2 else {
      throw JacquardError.invalid("A motion field is out of range.")
    }
  }

  fileprivate func withC(_ body: (UnsafePointer<jacquard_configuration>) -> Void) {
    let strings = CStrings()
    var copy = jacquard_configuration()
    copy.struct_size = UInt32(MemoryLayout<jacquard_configuration>.stride)
    for field in Self.fields where field.write(self, &copy) { copy.fields |= field.bit.rawValue }
    if let name {
      copy.name = strings(name)
      copy.fields |= JACQUARD_CONFIGURATION_FIELD_NAME.rawValue
    }
    withExtendedLifetime(strings) { body(&copy) }
  }
}
