import CJacquard

/// A tag for the duration of one link: after a reconnection the connection has another one, and the commands of this
/// one throw `.staleTag`. It keeps its connection.
///
/// Commands are sent when they are called, one at a time, in their order. Each completes exactly once. Cancelling the
/// task cancels the command, which throws `.cancelled`; a command that the tag has already received still takes effect.
/// A timeout begins when the command is sent; nil: 8 s for each attempt. Commands that only read have three attempts.
public final class Tag: Sendable, Hashable {
  /// The connection to which it belongs.
  public let connection: Connection
  let handle: Handle

  init?(retaining pointer: OpaquePointer?, _ connection: Connection) {
    guard let pointer, let kept = jacquard_tag_ref(pointer) else { return nil }
    handle = Handle(kept) { jacquard_tag_unref($0) }
    self.connection = connection
  }

  /// The tag's report about itself, made while connecting. Also works for a stale tag.
  public var info: TagInfo {
    get throws(JacquardError) {
      var info: UnsafePointer<jacquard_tag_info>?
      try check(jacquard_tag_get_info(handle.pointer, &info))
      guard let info else { throw JacquardError(.internal) }
      return TagInfo(info.pointee)
    }
  }

  /// The tag itself as a component.
  public var component: Component {
    get throws(JacquardError) {
      let component = try Handle({ jacquard_component_unref($0) }) { jacquard_tag_get_component(handle.pointer, $0) }
      return Component(component, connection)
    }
  }

  /// The components that are known, without a request: the tag itself, and its gear.
  public var components: [Component] {
    get throws(JacquardError) {
      var found: [Component] = []
      while true {
        do throws(JacquardError) {
          let next = try Handle({ jacquard_component_unref($0) }) {
            jacquard_tag_get_component_at(handle.pointer, UInt32(found.count), $0)
          }
          found.append(Component(next, connection))
        } catch {
          guard error.code == .notFound else { throw error }
          return found
        }
      }
    }
  }

  /// Reads the battery level.
  public func battery(timeout: Duration? = nil) async throws(JacquardError) -> Battery {
    var options = requestOptions(timeout)
    return try await ask(self, Battery.init(_:)) {
      jacquard_tag_read_battery(handle.pointer, &options, { complete($0, $1, $2) }, $0, release, $1)
    }
  }

  /// Plays an LED pattern on the tag itself.
  public func playLED(_ pattern: LEDPattern, timeout: Duration? = nil) async throws(JacquardError) {
    try await component.playLED(pattern, timeout: timeout)
  }

  /// Renames the tag: 1 to 21 bytes of UTF-8, neither blank nor with control characters. Returns when the link is down;
  /// `Connection.tag()` is then the tag under its new name.
  ///
  /// - Throws: `.unchanged`: the tag already has this name
  public func rename(_ name: String, timeout: Duration? = nil) async throws(JacquardError) {
    var options = requestOptions(timeout)
    try await perform(self) { context, request throws(JacquardError) in
      try withString(name) {
        jacquard_tag_rename(handle.pointer, $0, &options, { complete($0, $1) }, context, release, request)
      }
    }
  }

  /// Asks the tag to drop the link. The connection then reconnects; `Connection.disconnect()` ends it.
  ///
  /// - Parameters:
  ///   - delay: the time until the tag drops the link, in whole seconds
  ///   - onlyOnMotion: whether the tag stays away until it is moved
  public func requestDisconnect(
    after delay: Duration = .zero, onlyOnMotion: Bool = false, timeout: Duration? = nil
  ) async throws(JacquardError) {
    var options = requestOptions(timeout)
    try await perform(self) {
      jacquard_tag_request_disconnect(
        handle.pointer, UInt32(clamping: delay.components.seconds), UInt32(onlyOnMotion), &options,
        { complete($0, $1) }, $0, release, $1)
    }
  }

  /// Whether both are the same tag on the same link.
  public static func == (one: Tag, other: Tag) -> Bool { one.handle.pointer == other.handle.pointer }

  /// Hashes the tag's link.
  public func hash(into hasher: inout Hasher) { hasher.combine(handle.pointer) }
}
