import EventLoop

/// What the attempts of one connection have in common.
struct AttemptMemory {
  let lock: TagLock
  let followed: FollowedDevice
  let reporter: DeviceReporter
  var missingBond = MissingBondDetector()
  /// The time at which the connection began to wait for the tag with a usable adapter.
  var awaySince: LoopInstant
}
