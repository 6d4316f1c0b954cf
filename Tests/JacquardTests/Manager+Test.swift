import BlueZ

@testable import Jacquard

extension Manager {
  /// What the manager sees of org.bluez.
  var mirror: Mirror { core.mirror }
}
