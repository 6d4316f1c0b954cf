import BlueZ

@testable import Jacquard

extension Manager {
  /// The manager's view of org.bluez.
  var cache: ObjectCache { core.cache }
}
