import Foundation
import JacquardTags

/// Reads the battery level.
public struct BatteryStatusCommand: ServedCommand {
  /// The result.
  public typealias Response = BatteryStatus
  /// The command.
  public init() {}

  func perform(on tag: JacquardTags.Tag) async throws -> BatteryStatus { BatteryStatus(try await tag.battery()) }
}

/// The tag's battery.
public struct BatteryStatus {
  /// Whether the tag is on USB power.
  public enum ChargingState {
    /// The tag is on USB power.
    case charging
    /// The tag is not on USB power.
    case notCharging
  }

  /// Percent.
  public var batteryLevel: UInt32
  /// Whether the tag is on USB power.
  public var chargingState: ChargingState

  init(_ battery: Battery) {
    batteryLevel = UInt32(battery.percent)
    chargingState = battery.isCharging ? .charging : .notCharging
  }
}

/// Reads the version and the manufacturing ID of a component.
public struct ComponentInfoCommand: ServedCommand {
  /// The result.
  public typealias Response = ComponentInfo
  private let componentID: UInt32

  /// - Parameter componentID: 0 for the tag itself
  public init(componentID: UInt32) { self.componentID = componentID }

  func perform(on tag: JacquardTags.Tag) async throws -> ComponentInfo {
    ComponentInfo(try await tag.component(componentID).readInfo())
  }
}

/// Version and manufacturing ID of a component.
public struct ComponentInfo {
  /// Version of its firmware; zeros if unknown.
  public var version: Version
  /// Manufacturing ID.
  public var uuid: String

  init(_ info: JacquardTags.ComponentInfo) {
    version = info.firmware.map(Version.init) ?? Version(major: 0, minor: 0, micro: 0)
    uuid = info.uuid
  }
}

/// Makes the tag drop the link. The connection then reconnects. The result arrives when the link is down.
public struct DisconnectTagCommand: ServedCommand {
  /// No result.
  public typealias Response = Void
  private let delay: UInt32
  private let onlyOnMotion: Bool

  /// - Parameters:
  ///   - timeoutSecond: the time until the tag drops the link
  ///   - reconnectOnlyOnWOM: whether the tag stays away until it is moved
  public init(timeoutSecond: UInt32 = 0, reconnectOnlyOnWOM: Bool = false) {
    (delay, onlyOnMotion) = (timeoutSecond, reconnectOnlyOnWOM)
  }

  func perform(on tag: JacquardTags.Tag) async throws {
    try await tag.requestDisconnect(after: .seconds(Int64(delay)), onlyOnMotion: onlyOnMotion)
  }
}

/// A value that an application stores on a tag.
public enum ConfigValue: Equatable {
  /// True or false.
  case bool(Bool)
  /// 32 bits without a sign.
  case uint32(UInt32)
  /// 64 bits without a sign.
  case uint64(UInt64)
  /// 32 bits with a sign.
  case int32(Int32)
  /// 64 bits with a sign.
  case int64(Int64)
  /// A real number of 32 bits.
  case float(Float)
  /// A real number of 64 bits.
  case double(Double)
  /// Text.
  case string(String)

  init(_ value: StoredValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .uint32(let value): self = .uint32(value)
    case .uint64(let value): self = .uint64(value)
    case .int32(let value): self = .int32(value)
    case .int64(let value): self = .int64(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    }
  }

  var stored: StoredValue {
    switch self {
    case .bool(let value): .bool(value)
    case .uint32(let value): .uint32(value)
    case .uint64(let value): .uint64(value)
    case .int32(let value): .int32(value)
    case .int64(let value): .int64(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    }
  }
}

/// A value with its key.
public struct DeviceConfigElement {
  let key: StoredKey
  let value: ConfigValue

  /// - Parameters:
  ///   - vendorID: "74-a8-ce-54"; of the tag itself by default
  ///   - productID: "8a-66-50-f4"; of the tag itself by default
  public init(
    vendorID: String = TagConstants.vendor, productID: String = TagConstants.product, key: String, value: ConfigValue
  ) {
    self.key = StoredKey(vendorID: vendorID, productID: productID, key: key)
    self.value = value
  }
}

struct StoredKey {
  let vendorID: String
  let productID: String
  let key: String

  /// Throws the status with which a tag refuses a wrong parameter.
  var owner: KeyOwner {
    get throws {
      guard let vendor = Identifier(hexText: vendorID), let product = Identifier(hexText: productID) else {
        throw CommandResponseStatus.errorBadParam
      }
      return KeyOwner(vendorID: vendor, productID: product)
    }
  }
}

/// Stores a value on the tag.
public struct SetCustomConfigCommand: ServedCommand {
  /// No result.
  public typealias Response = Void
  private let config: DeviceConfigElement

  /// Stores this value.
  public init(config: DeviceConfigElement) { self.config = config }

  func perform(on tag: JacquardTags.Tag) async throws {
    try await tag.writeValue(config.value.stored, for: config.key.key, of: config.key.owner)
  }
}

/// Reads a value that is stored on the tag; nil if there is none.
public struct GetCustomConfigCommand: ServedCommand {
  /// The result.
  public typealias Response = ConfigValue?
  private let key: StoredKey

  /// - Parameters:
  ///   - vendorID: "74-a8-ce-54"; of the tag itself by default
  ///   - productID: "8a-66-50-f4"; of the tag itself by default
  public init(vendorID: String = TagConstants.vendor, productID: String = TagConstants.product, key: String) {
    self.key = StoredKey(vendorID: vendorID, productID: productID, key: key)
  }

  func perform(on tag: JacquardTags.Tag) async throws -> ConfigValue? {
    try await tag.readValue(for: key.key, of: key.owner).map(ConfigValue.init)
  }
}

extension JacquardTags.Tag {
  /// The component with this number, which must be attached.
  func component(_ id: ComponentID) throws -> JacquardTags.Component {
    for component in try components where try component.info.id == id { return component }
    throw CommandResponseStatus.errorBadParam
  }
}
