/// The loadable firmware module that records and streams motion.
public enum IMUModule: Sendable {
  public static let vendor = PartID(rawValue: 0x1178_30c8)
  public static let product = PartID(rawValue: 0xef3e_5b88)
  public static let module = PartID(rawValue: 0x3d0b_e753)
}
