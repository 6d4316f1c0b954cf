import BlueZ

extension Manager {
  /// The tags that are connected to the adapter in use, by this program or others, without discovery.
  public func connectedTags() async throws(JacquardError) -> [Advertisement] {
    let adapter = try await core.monitor.usableAdapter()
    do throws(BlueZError) {
      try await core.cache.refreshAllDevices()
    } catch {
      throw JacquardError(error, otherwise: .bluezUnavailable)
    }
    return core.cache.devices.filter { $0.adapterPath == adapter.path && $0.connected }.compactMap {
      Advertisement($0, core.deviceIndex.identifier(of: $0))
    }
  }
}
