import Foundation
import JacquardTags

/// The tag itself, or its gear.
public protocol Component {
  /// 0: the tag; else a number that is valid for this attachment only.
  var componentID: ComponentID { get }
  /// The vendor of the component.
  var vendor: GearMetadata.GearData.Vendor { get }
  /// The product of the component.
  var product: GearMetadata.GearData.Product { get }
  /// The abilities of the component.
  var capabilities: [GearMetadata.Capability] { get }
  /// Version of its firmware.
  var version: Version? { get }
  /// Manufacturing ID.
  var uuid: String? { get }
}

extension Component {
  /// Whether it is the tag itself.
  public var isTag: Bool { componentID == 0 }
}

/// Number of a component.
public typealias ComponentID = UInt32

/// Number of a vendor, product or module.
public typealias Identifier = UInt32

extension Identifier {
  /// "74-a8-ce-54".
  public func hexString() -> String {
    stride(from: 24, through: 0, by: -8).map { String(format: "%02x", self >> $0 & 0xff) }.joined(separator: "-")
  }

  /// The number of a text such as "74-a8-ce-54"; nil if it is not one.
  init?(hexText: String) {
    let digits = hexText.filter { $0 != "-" }
    guard digits.count <= 8, let number = UInt32(digits, radix: 16) else { return nil }
    self = number
  }
}

/// Identifiers of the tag itself.
public enum TagConstants {
  /// The product.
  public static let product = "28-3b-e7-a0"
  /// The vendor.
  public static let vendor = "11-78-30-c8"
}

/// Names of gear and of its abilities.
public struct GearMetadata {
  /// An ability of a component.
  public enum Capability: CaseIterable, Equatable {
    /// Plays LED patterns.
    case led
    /// Reports gestures.
    case gesture
    /// Reports touch samples.
    case touchDataStream
    /// Vibrates.
    case haptic
    /// Another ability.
    case UNRECOGNIZED(Int)

    /// The abilities with a name.
    public static var allCases: [Capability] { [.led, .gesture, .touchDataStream, .haptic] }
  }

  /// The table of gear.
  public struct GearData {
    /// A vendor.
    public struct Vendor {
      /// "74-a8-ce-54".
      public var id: String
      /// "Levi's"; "" if unknown.
      public var name: String
      /// The product of the component.
      public var products: [Product]
    }

    /// A product.
    public struct Product {
      /// "8a-66-50-f4".
      public var id: String
      /// "Trucker Jacket"; "" if unknown.
      public var name: String
      /// "": there are no pictures.
      public var image: String
      /// The abilities of the product.
      public var capabilities: [Capability]
    }
  }
}

/// A version of firmware.
public struct Version: Codable, Comparable, CustomStringConvertible {
  var major: Int
  var minor: Int
  var micro: Int

  init(major: Int, minor: Int, micro: Int) {
    (self.major, self.minor, self.micro) = (major, minor, micro)
  }

  init(_ version: JacquardTags.Version) {
    self.init(major: Int(version.major), minor: Int(version.minor), micro: Int(version.point))
  }

  /// Whether one version is older than another one.
  public static func < (lhs: Version, rhs: Version) -> Bool {
    (lhs.major, lhs.minor, lhs.micro) < (rhs.major, rhs.minor, rhs.micro)
  }

  /// "v1.96.0".
  public var description: String { "v\(major).\(minor).\(micro)" }

  /// Three numbers of three digits each: "001096000" is 1.96.0. Zeros for other texts.
  public static func version(fromDecimalEncodedString string: String) -> Version {
    guard string.count == 9, let number = Int(string) else { return Version(major: 0, minor: 0, micro: 0) }
    return Version(major: number / 1_000_000, minor: number / 1000 % 1000, micro: number % 1000)
  }
}

/// A component of a connected tag.
struct LinkedComponent: Component {
  let component: JacquardTags.Component
  let componentID: ComponentID
  let vendor: GearMetadata.GearData.Vendor
  let product: GearMetadata.GearData.Product
  let version: Version?
  let uuid: String?

  var capabilities: [GearMetadata.Capability] { product.capabilities }

  init?(_ component: JacquardTags.Component) {
    guard let info = try? component.info else { return nil }
    let bits: [(Capabilities, GearMetadata.Capability)] = [
      (.led, .led), (.gesture, .gesture), (.touch, .touchDataStream), (.haptic, .haptic),
    ]
    self.component = component
    componentID = info.id
    product = GearMetadata.GearData.Product(
      id: info.productText, name: info.product, image: "",
      capabilities: bits.filter { info.capabilities.contains($0.0) }.map(\.1))
    vendor = GearMetadata.GearData.Vendor(id: info.vendorText, name: info.vendor, products: [product])
    version = info.firmware.map(Version.init)
    uuid = info.uuid.isEmpty ? nil : info.uuid
  }
}
