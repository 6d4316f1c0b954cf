/// Whether the links to a tag need a bond.
final class BondRequirement {
  /// The tag is bound to this machine, so BlueZ must have its bond.
  var isBound: Bool
  /// Set while the tag is being bound, and after.
  var bonding: Bonding?
  /// The address of the adapter with the bond. On another adapter a missing bond is not conclusive.
  private var adapter: String?

  init(isBound: Bool) { self.isBound = isBound }

  var isFulfilled: Bool { bonding?.isDone ?? isBound }

  func isExpected(on adapter: String) -> Bool { isFulfilled && (self.adapter.map { $0 == adapter } ?? true) }

  func exists(on adapter: String) { self.adapter = adapter }
}
