/// The capabilities of a tag or its gear. Bit n is capability n of the vendor's gear metadata.
public struct Capabilities: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Plays LED patterns.
  public static let led = Capabilities(rawValue: 1 << 0)
  /// Reports gestures.
  public static let gestures = Capabilities(rawValue: 1 << 1)
  /// Streams touch data.
  public static let touchStream = Capabilities(rawValue: 1 << 2)
  /// Vibrates.
  public static let haptics = Capabilities(rawValue: 1 << 3)
}

/// Names and capabilities of known gear, which sends only its vendor ID and product ID.
public struct KnownGear: Hashable, Sendable {
  public let vendor: PartID
  public let product: PartID
  public let vendorName: String
  public let productName: String
  /// Taken from the vendor's gear metadata; the gear does not report them.
  public let capabilities: Capabilities

  /// The tag itself, which is described like gear.
  public static let tag = KnownGear(
    vendor: PartID(rawValue: 0x1178_30c8), product: PartID(rawValue: 0x283b_e7a0),
    vendorName: "Google", productName: "Jacquard Tag", capabilities: [.led])

  /// Every product that this version knows, the tag included.
  public static let all: [KnownGear] = [
    tag,
    KnownGear(
      vendor: PartID(rawValue: 0x74a8_ce54), product: PartID(rawValue: 0x8a66_50f4),
      vendorName: "Levi's", productName: "Trucker Jacket", capabilities: [.gestures, .touchStream, .haptics]),
    KnownGear(
      vendor: PartID(rawValue: 0x87b4_30b6), product: PartID(rawValue: 0xb707_972a),
      vendorName: "Samsonite", productName: "Konnect-i", capabilities: [.gestures, .touchStream, .haptics]),
    KnownGear(
      vendor: PartID(rawValue: 0xfb57_a112), product: PartID(rawValue: 0x5cd8_78b0),
      vendorName: "Saint Laurent", productName: "Cit-e Backpack",
      capabilities: [.led, .gestures, .touchStream, .haptics]),
    KnownGear(
      vendor: PartID(rawValue: 0x1178_30c8), product: PartID(rawValue: 0x1529_c75b),
      vendorName: "Google", productName: "Patch A0", capabilities: [.gestures, .touchStream, .haptics]),
    KnownGear(
      vendor: PartID(rawValue: 0x1178_30c8), product: PartID(rawValue: 0x092f_41ab),
      vendorName: "Google", productName: "Patch B0", capabilities: [.led, .gestures, .touchStream, .haptics]),
  ]

  /// Finds a product by its IDs; nil for gear that this version does not know.
  public static func find(vendor: PartID, product: PartID) -> KnownGear? {
    all.first { $0.vendor == vendor && $0.product == product }
  }
}
