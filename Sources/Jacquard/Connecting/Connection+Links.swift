extension Connection {
  /// Runs `body` on one link after the other until it has succeeded. When it fails, `continues` decides whether it runs again,
  /// with the current tag or the next one; otherwise the error is thrown. Ends with the connection and with the task.
  ///
  /// - Parameter next: returns the current tag or the next one, for work that reports when it waits.
  func overLinks<Answer>(
    next: (() async throws(JacquardError) -> Tag)? = nil,
    _ body: (Tag) async throws(JacquardError) -> Answer,
    continues: (Tag, JacquardError) async throws(JacquardError) -> Bool
  ) async throws(JacquardError) -> Answer {
    while true {
      let tag = if let next { try await next() } else { try await currentTag() }
      do throws(JacquardError) {
        return try await body(tag)
      } catch {
        try JacquardError.checkCancellation()
        guard try await continues(tag, error) else { throw error }
      }
    }
  }

  /// The tag of the link, or of the next one. Throws when the connection has ended.
  func currentTag() async throws(JacquardError) -> Tag {
    try await states.until { [self] () throws(JacquardError) -> Tag? in
      if hasEnded { throw state.reason ?? JacquardError(.closed, JacquardError.Code.closed.text) }
      return state.tag.flatMap { $0.isStale ? nil : $0 }
    }
  }
}
