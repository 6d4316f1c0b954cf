import CJacquard
import JacquardWire
import Testing
import TouchTracking

@testable import Jacquard

/// An enumeration of the header and its numbers in Swift, by the names of the constants without `prefix`.
struct Enumeration: Sendable, CustomTestStringConvertible {
  let name: String
  let prefix: String
  let numbers: [String: Int]

  var testDescription: String { name }

  init(_ name: String, _ prefix: String, _ numbers: [String: Int]) {
    (self.name, self.prefix, self.numbers) = (name, prefix, numbers)
  }

  init<Value: CaseIterable & RawRepresentable>(_ name: String, _ prefix: String, _ type: Value.Type)
  where Value.RawValue: BinaryInteger {
    self.init(
      name, prefix,
      Dictionary(uniqueKeysWithValues: type.allCases.map { (Self.constant("\($0)"), Int($0.rawValue)) }))
  }

  /// `poweredOff` is POWERED_OFF.
  static func constant(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
  }
}

@Suite("Numbers defined by the header")
struct HeaderNumberTests {
  private static let gestures = (UInt32(0)..<32).map(Gesture.init).filter { $0.name != nil }.map {
    ($0.name!.uppercased().split(separator: "-").joined(separator: "_"), Int($0.rawValue))
  }

  private static let tagStatuses = (UInt32(0)..<256).map(TagStatus.init(rawValue:)).filter { $0.name != nil }.map {
    ($0.name!.uppercased().split(separator: " ").joined(separator: "_"), Int($0.rawValue))
  }

  private static let enumerations = [
    Enumeration(
      "jacquard_status", "JACQUARD_ERROR_",
      // `internal` is a keyword of Swift.
      Dictionary(
        uniqueKeysWithValues: JacquardError.Code.allCases.map { code in
          (code == .internalError ? "INTERNAL" : Enumeration.constant("\(code)"), Int(code.rawValue))
        })),
    Enumeration("jacquard_log_level", "JACQUARD_LOG_LEVEL_", Log.Level.self),
    Enumeration("jacquard_adapter_state", "JACQUARD_ADAPTER_STATE_", AdapterState.self),
    Enumeration("jacquard_scan_end", "JACQUARD_SCAN_END_", Scan.End.self),
    Enumeration("jacquard_phase", "JACQUARD_PHASE_", Phase.self),
    Enumeration("jacquard_disconnect_reason", "JACQUARD_DISCONNECT_REASON_", DisconnectReason.self),
    Enumeration(
      "jacquard_capability", "JACQUARD_CAPABILITY_",
      [
        "LED": Capabilities.led, "GESTURE": .gestures, "TOUCH": .touchStream, "HAPTIC": .haptics,
      ].mapValues { Int($0.rawValue) }),
    Enumeration("jacquard_led_type", "JACQUARD_LED_", LEDPattern.Kind.self),
    Enumeration("jacquard_haptic_type", "JACQUARD_HAPTIC_", Haptic.Kind.self),
    Enumeration("jacquard_touch_mode", "JACQUARD_TOUCH_MODE_", TouchMode.self),
    Enumeration("jacquard_touch_phase", "JACQUARD_TOUCH_PHASE_", TouchPoint.Phase.self),
    Enumeration("jacquard_touch_gesture_type", "JACQUARD_TOUCH_GESTURE_", TouchGesture.Kind.self),
    Enumeration("jacquard_line_health", "JACQUARD_LINE_HEALTH_", LineHealth.self),
    Enumeration("jacquard_motion_filter", "JACQUARD_MOTION_FILTER_", MotionSettings.Filter.self),
    Enumeration("jacquard_motion_activity", "JACQUARD_MOTION_ACTIVITY_", MotionStatus.Activity.self),
    Enumeration("jacquard_update_mode", "JACQUARD_UPDATE_MODE_", UpdateOptions.Mode.self),
    Enumeration("jacquard_update_phase", "JACQUARD_UPDATE_PHASE_", UpdateProgress.Phase.self),
    Enumeration("jacquard_update_outcome", "JACQUARD_UPDATE_OUTCOME_", UpdateResult.Outcome.self),
    Enumeration("jacquard_tag_status", "JACQUARD_TAG_STATUS_", Dictionary(uniqueKeysWithValues: tagStatuses)),
    Enumeration("jacquard_gesture_type", "JACQUARD_GESTURE_", Dictionary(uniqueKeysWithValues: gestures)),
  ]

  /// Swift defines no numbers for these; it uses the header's constants where it needs one.
  private static let withoutNumbers: Set = [
    "jacquard_value_type", "jacquard_configuration_field", "jacquard_motion_event_type",
    "jacquard_motion_part_type", "jacquard_motion_end",
  ]

  @Test("each enumeration has the header's constants with their numbers, and no others", arguments: enumerations)
  func sameConstants(_ enumeration: Enumeration) throws {
    let declared = try #require(headerConstants[enumeration.name]).filter { $0.key != "JACQUARD_OK" }
    let known = enumeration.numbers.map { (enumeration.prefix + $0.key, $0.value) }
    #expect(Dictionary(uniqueKeysWithValues: known) == declared)
  }

  @Test("every enumeration of the header is compared") func allEnumerations() {
    #expect(Set(Self.enumerations.map(\.name)).union(Self.withoutNumbers) == Set(headerConstants.keys))
  }

  @Test("the parsed constants equal the compiler's") func compiled() {
    #expect(headerConstants["jacquard_status"]?["JACQUARD_ERROR_UNCHANGED"] == Int(JACQUARD_ERROR_UNCHANGED.rawValue))
    #expect(headerConstants["jacquard_phase"]?["JACQUARD_PHASE_CONNECTED"] == Int(JACQUARD_PHASE_CONNECTED.rawValue))
  }

  @Test("log levels are ordered from the most to the least important")
  func logLevels() { #expect(Log.Level.warning < .info && Log.Level.info < .debug) }

  @Test("the value for an unknown signal strength is HCI's")
  func unknownSignalStrength() { #expect(Int32(Advertisement.unknownRSSI) == JACQUARD_RSSI_UNKNOWN) }
}
