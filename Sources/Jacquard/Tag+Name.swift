import JacquardWire

extension Tag {
  private static let longestName = 21

  /// Gives the tag another name; it then drops the link and comes back under it.
  public func rename(_ name: String, deadline: Duration? = nil) async throws {
    let command = TagCommand<Void>(.configWrite) {
      $0.configWrite.bleConfig.customAdvName = name
    } answer: { _ in
    }
    try await inTurn(deadline) { turn in
      try Self.checkName(name)
      guard try await ownName(turn) != name else {
        throw JacquardError(.unchanged, "The tag is already named \(name).")
      }
      try await turn.send(command)
      names.renamed(name)
      do {
        try await turn.send(Self.requestDisconnect())
      } catch let error as JacquardError where error.code == .connectionLost {
        // What was asked for, only sooner than the answer.
      }
    }
  }

  /// The limit is in bytes of UTF-8.
  public static func checkName(_ name: String) throws {
    guard (1...longestName).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw JacquardError.invalid("name is not 1 to \(longestName) bytes long.")
    }
  }

  /// The tag is asked, because the stack's idea of the name may be stale. Nil from firmware that cannot tell.
  private func ownName(_ turn: CommandTurn) async throws -> String? {
    do {
      return TagConfiguration(try await turn.send(TagConfiguration.read)).name
    } catch let error as JacquardError where error.code == .tagStatus || error.code == .malformedResponse {
      return nil
    }
  }

  /// Asks the tag to drop the link, which the connection then mends.
  public func requestDisconnect(
    afterSeconds delay: UInt32 = 0, onlyOnMotion: Bool = false, deadline: Duration? = nil
  ) async throws {
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
