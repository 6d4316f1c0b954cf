import EventLoop
import JacquardWire

extension Tag {
  private static let longestName = 21

  /// Renames the tag, which then reconnects under the new name. Returns when the link is down.
  public func rename(_ name: String, deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<Void>(.configWrite) {
      $0.configWrite.bleConfig.customAdvName = name
    } answer: { _ in
    }
    try await inTurn(deadline) { turn throws(JacquardError) in
      try Self.checkName(name)
      guard try await ownName(turn) != name else {
        throw JacquardError(.unchanged, "The tag is already named \(name).")
      }
      try await turn.send(command)
      names.renamed(name)
      do throws(JacquardError) {
        try await turn.send(Self.requestDisconnect())
      } catch {
        // The tag may disconnect before its response arrives.
        guard error.code == .connectionLost else { throw error }
      }
      try await linkEnds(turn)
    }
  }

  /// Waits until the link is down, so that the next commands do not use it. The tag has been asked to drop it, and may
  /// refuse.
  private func linkEnds(_ turn: CommandTurn) async throws(JacquardError) {
    let limit = Completion<Void, JacquardError>()
    let timer = link.loop.schedule(after: link.deadlines.linkDown) { limit.succeed(()) }
    defer { timer.cancel() }
    do throws(JacquardError) {
      try await turn.value(of: limit)
    } catch {
      if error.isCancellation { throw error }
    }
  }

  /// The limit is in bytes of UTF-8. Lists and terminals show the name, so it is on one line and visible.
  public static func checkName(_ name: String) throws(JacquardError) {
    guard (1...longestName).contains(name.utf8.count) else {
      throw JacquardError.invalid("name is not 1 to \(longestName) bytes long.")
    }
    guard !name.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }) else {
      throw JacquardError.invalid("name has a control character.")
    }
    guard name.contains(where: { $0 != " " && $0 != "\u{A0}" }) else {
      throw JacquardError.invalid("name is blank.")
    }
  }

  /// Reads the name from the tag, because BlueZ's name may be stale. Nil if the firmware does not support it.
  private func ownName(_ turn: CommandTurn) async throws(JacquardError) -> String? {
    do throws(JacquardError) {
      return TagConfiguration(try await turn.send(TagConfiguration.read)).name
    } catch {
      guard error.code == .tagStatus || error.code == .malformedResponse else { throw error }
      return nil
    }
  }

  /// Asks the tag to drop the link; the connection then reconnects. Returns when the link is down, or with a delay when
  /// the tag has accepted it.
  public func requestDisconnect(
    afterSeconds delay: UInt32 = 0, onlyOnMotion: Bool = false, deadline: Duration? = nil
  ) async throws(JacquardError) {
    try await inTurn(deadline) { turn throws(JacquardError) in
      try await turn.send(Self.requestDisconnect(afterSeconds: delay, onlyOnMotion: onlyOnMotion))
      if delay == 0 { try await linkEnds(turn) }
    }
  }

  private static func requestDisconnect(afterSeconds delay: UInt32 = 0, onlyOnMotion: Bool = false) -> TagCommand<Void>
  {
    TagCommand(.requestDisconnect) {
      $0.bleDisconnectRequest.timeoutSecond = delay
      $0.bleDisconnectRequest.reconnectOnlyOnWom = onlyOnMotion
    } answer: { _ in
    }
  }
}
