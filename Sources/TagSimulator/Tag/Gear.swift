/// A part of a garment or bag that a tag can be attached to.
public struct Gear: Equatable, Sendable {
  public enum Capability: Sendable { case led, gesture, touchStream, haptic }

  /// Its name in scenarios.
  public var name: String
  public var vendor: String
  public var model: String
  public var vendorID: UInt32
  public var productID: UInt32
  public var capabilities: Set<Capability>
  public var firmware = Version(1, 2, 3)

  public static let known: [Gear] = [
    Gear(
      name: "levis-trucker", vendor: "Levi's", model: "Trucker Jacket", vendorID: 0x74a8_ce54, productID: 0x8a66_50f4,
      capabilities: [.gesture, .touchStream, .haptic]),
    Gear(
      name: "samsonite-konnect-i", vendor: "Samsonite", model: "Konnect-i", vendorID: 0x87b4_30b6,
      productID: 0xb707_972a, capabilities: [.gesture, .touchStream, .haptic]),
    Gear(
      name: "saint-laurent-backpack", vendor: "Saint Laurent", model: "Cit-e Backpack", vendorID: 0xfb57_a112,
      productID: 0x5cd8_78b0, capabilities: [.led, .gesture, .touchStream, .haptic]),
    Gear(
      name: "patch-a0", vendor: "Google", model: "Patch A0", vendorID: 0x1178_30c8, productID: 0x1529_c75b,
      capabilities: [.gesture, .touchStream, .haptic]),
    Gear(
      name: "patch-b0", vendor: "Google", model: "Patch B0", vendorID: 0x1178_30c8, productID: 0x092f_41ab,
      capabilities: [.led, .gesture, .touchStream, .haptic]),
  ]

  public static func named(_ name: some StringProtocol) -> Gear? { known.first { $0.name == name } }

  /// Unknown gear.
  public static func unlisted(vendorID: UInt32, productID: UInt32) -> Gear {
    Gear(
      name: "unlisted", vendor: "Unlisted", model: "Unlisted", vendorID: vendorID, productID: productID,
      capabilities: [.gesture, .touchStream, .haptic, .led])
  }
}

/// The gestures that gear recognises, with their numbers in the protocol.
public enum SimulatedGesture: String, CaseIterable, Sendable {
  case none = "none"
  case doubleTap = "double-tap"
  case brushIn = "brush-in"
  case brushOut = "brush-out"
  case cover = "cover"
  case brushUp = "brush-up"
  case brushDown = "brush-down"

  public var number: UInt32 {
    switch self {
    case .none: 0
    case .doubleTap: 1
    case .brushIn: 2
    case .brushOut: 3
    case .cover: 7
    case .brushUp: 13
    case .brushDown: 14
    }
  }
}
