import EventLoop

/// What the attempts of one connection have in common.
struct AttemptMemory {
  let lock: TagLock
  let followed: FollowedDevice
  let reporter: DeviceReporter
  var missingBond = MissingBondDetector()
  /// The time at which the connection began to wait for the tag with a usable adapter.
  var awaySince: LoopInstant

  init(_ core: Core, _ identifier: TagIdentifier, _ reports: TagReports) {
    lock = TagLock(identifier, core.loop, core.sharing.directory)
    followed = FollowedDevice(core.cache)
    reporter = DeviceReporter(reports.name, reports.statistics)
    awaySince = core.loop.now
  }
}
