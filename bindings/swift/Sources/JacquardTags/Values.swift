import CJacquard

/// A number of the header with named constants. Tags and later versions of the library may deliver numbers without
/// names, so a `switch` needs a `default`.
public protocol OpenEnumeration: RawRepresentable, Sendable, Hashable, CustomStringConvertible
where RawValue: FixedWidthInteger {
  /// The name of the constant; nil for a number that this version does not know.
  var name: String? { get }
}

extension OpenEnumeration {
  /// The name, or the number if it has none.
  public var description: String { name ?? "\(rawValue)" }
}

/// A version of firmware.
public struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The first number.
  public var major: UInt32
  /// The second number.
  public var minor: UInt32
  /// The third number.
  public var point: UInt32

  /// A version of three numbers.
  public init(_ major: UInt32, _ minor: UInt32, _ point: UInt32) {
    self.major = major
    self.minor = minor
    self.point = point
  }

  init(_ numbers: (UInt32, UInt32, UInt32)) {
    self.init(numbers.0, numbers.1, numbers.2)
  }

  /// nil for zeros, which stand for an unknown version.
  init?(known numbers: (UInt32, UInt32, UInt32)) {
    guard numbers != (0, 0, 0) else { return nil }
    self.init(numbers)
  }

  var numbers: (UInt32, UInt32, UInt32) { (major, minor, point) }

  /// Whether one version is older than another one.
  public static func < (one: Version, other: Version) -> Bool { one.numbers < other.numbers }

  /// "1.97.0".
  public var description: String { "\(major).\(minor).\(point)" }
}

/// A tag's report about itself, made while connecting.
public struct TagInfo: Sendable, Hashable {
  /// The identifier, as in `Advertisement`.
  public let identifier: String
  /// Bluetooth address.
  public let address: String
  /// Name of the link, "Jacquard-01ZK".
  public let name: String
  /// Full serial number; "" if the tag does not report it.
  public let serial: String
  /// Manufacturing ID.
  public let uuid: String
  /// "Google Inc."
  public let vendor: String
  /// "UJT".
  public let model: String
  /// 0x117830C8 for Google.
  public let vendorID: UInt32
  /// 0x283BE7A0 for the tag.
  public let productID: UInt32
  /// Hardware revision.
  public let revision: UInt32
  /// Version of the firmware.
  public let firmware: Version
  /// Version of the bootloader.
  public let bootloader: Version
  /// Whether it is firmware 1.0.6 or 1.1.0, which the reference SDKs replaced before they connected.
  public let hasFaultyFirmware: Bool

  init(_ info: jacquard_tag_info) {
    identifier = text(info.identifier)
    address = text(info.address)
    name = text(info.name)
    serial = text(info.serial)
    uuid = text(info.uuid)
    vendor = text(info.vendor)
    model = text(info.model)
    vendorID = info.vendor_id
    productID = info.product_id
    revision = info.revision
    firmware = Version(info.firmware)
    bootloader = Version(info.bootloader)
    hasFaultyFirmware = info.faulty_firmware != 0
  }
}

/// The known facts about a component.
public struct ComponentInfo: Sendable, Hashable {
  /// 0: the tag; else a number that is valid for this attachment only.
  public let id: UInt32
  /// 0x74A8CE54 for Levi's.
  public let vendorID: UInt32
  /// 0x8A6650F4 for the Trucker Jacket.
  public let productID: UInt32
  /// Empty if unknown to this version.
  public let capabilities: Capabilities
  /// "Levi's"; "" if unknown to this version.
  public let vendor: String
  /// "Trucker Jacket"; "" if unknown to this version.
  public let product: String
  /// The vendor ID in Jacquard's notation, "74-a8-ce-54".
  public let vendorText: String
  /// The product ID in Jacquard's notation.
  public let productText: String
  /// Manufacturing ID; "" if the gear did not report it.
  public let uuid: String
  /// nil if the gear did not report it.
  public let firmware: Version?

  init(_ info: jacquard_component_info) {
    id = info.id
    vendorID = info.vendor_id
    productID = info.product_id
    capabilities = Capabilities(rawValue: info.capabilities)
    vendor = text(info.vendor)
    product = text(info.product)
    vendorText = text(info.vendor_text)
    productText = text(info.product_text)
    uuid = text(info.uuid)
    firmware = Version(known: info.firmware)
  }
}

/// The tag's battery.
public struct Battery: Sendable, Hashable {
  /// 0 to 100.
  public let percent: Int
  /// Whether it is on USB power.
  public let isCharging: Bool

  /// A level.
  public init(percent: Int, isCharging: Bool) {
    self.percent = percent
    self.isCharging = isCharging
  }

  init(_ battery: jacquard_battery) {
    percent = Int(battery.percent)
    isCharging = battery.charging != 0
  }
}

/// A gesture that the gear recognised.
public struct Gesture: Sendable, Hashable {
  /// The type of the gesture. Gear may report numbers without a name.
  public let type: GestureType
  /// Whether it may be the previous gesture once more: a program that must not act twice ignores those.
  public let mayBeCopy: Bool
  /// When it arrived, in nanoseconds of CLOCK_BOOTTIME, which all processes share.
  public let arrivalNanoseconds: Int64

  init(_ gesture: jacquard_gesture) {
    type = GestureType(rawValue: gesture.type)
    mayBeCopy = gesture.may_be_copy != 0
    arrivalNanoseconds = gesture.arrival_ns
  }
}

/// One sample of a touch.
public struct Touch: Sendable {
  /// Twelve numbers.
  public typealias Lines = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
  )

  /// Increases during one touch, with gaps; a smaller number starts a new touch.
  public let sequence: UInt32
  /// Proximity of the hand.
  public let proximity: UInt8
  /// Intensity of the twelve lines in order; 0: not touched, 128: strongest.
  public let lines: Lines
  /// When it arrived, in nanoseconds of CLOCK_BOOTTIME, which all processes share.
  public let arrivalNanoseconds: Int64

  init(_ touch: jacquard_touch) {
    sequence = touch.sequence
    proximity = touch.proximity
    lines = touch.lines
    arrivalNanoseconds = touch.arrival_ns
  }

  /// The lines as an array.
  public var linesArray: [UInt8] {
    withUnsafeBytes(of: lines) { Array($0) }
  }
}

/// The mode of the attached gear, and the program that has set it.
public struct TouchModeReport: Sendable, Hashable {
  /// The mode in which the gear reports touches.
  public let mode: TouchMode
  /// The process that has set the mode; nil: none, or it is not known.
  public let process: Int32?

  init(_ report: jacquard_touch_mode_report) {
    mode = TouchMode(rawValue: report.mode)
    process = report.process == 0 ? nil : report.process
  }
}
