import JacquardWire

extension Tag {
  private static let longestName = 21

  /// Renames the tag. It then drops the link and reconnects under the new name.
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
    }
  }

  /// The limit is in bytes of UTF-8.
  public static func checkName(_ name: String) throws(JacquardError) {
    guard (1...longestName).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw JacquardError.invalid("name is not 1 to \(longestName) bytes long.")
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

  /// Asks the tag to drop the link; the connection then reconnects.
  public func requestDisconnect(
    afterSeconds delay: UInt32 = 0, onlyOnMotion: Bool = false, deadline: Duration? = nil
  ) async throws(JacquardError) {
    try await send(Self.requestDisconnect(afterSeconds: delay, onlyOnMotion: onlyOnMotion), deadline)
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
