import BlueZ

/// The device whose changes a connection receives: from its first attempt until it ends, so that attempts with a tag
/// that is away cost nothing.
final class FollowedDevice {
  private let cache: ObjectCache
  private var device: Device?
  private var following: ObjectCache.Following?

  init(_ cache: ObjectCache) { self.cache = cache }

  /// The device is up to date when this returns. Returns whether it was not followed before: a link that is up then is
  /// older than this.
  func follow(_ device: Device) async throws(JacquardError) -> Bool {
    let isNew = device !== self.device
    guard isNew || following?.isComplete == false else { return false }
    end()
    do throws(BlueZError) {
      following = try await cache.follow(device)
      self.device = device
    } catch {
      throw JacquardError(error, otherwise: .connectFailed)
    }
    return isNew
  }

  func end() {
    following = nil
    device = nil
  }
}
