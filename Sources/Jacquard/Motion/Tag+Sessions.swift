import EventLoop
import JacquardWire

extension Tag {
  /// The stored sessions. The time limit starts again with each session that the tag reports.
  public func sessions(deadline: Duration? = nil) async throws(JacquardError) -> [StoredSession] {
    let command = TagCommand<CollectionStatus>(.collectionList, isRepeatable: true) {
      $0.trialList = WireDataCollectionTrialListRequest()
    } answer: {
      $0.hasTrialList ? CollectionStatus(rawValue: $0.trialList.dcStatus) : nil
    }
    return try await inTurn(deadline) { turn throws(JacquardError) in
      var list = SessionList()
      var next = Completion<Void, JacquardError>()
      // Before the request, because the reports may arrive before the response.
      let observation = notifications.workReports.sessions.add {
        list.add($0)
        next.succeed(())
      }
      defer { observation.cancel() }
      let status = try await turn.send(command)
      if status.isError { throw JacquardError(status) }
      while !list.isComplete {
        next = Completion()
        try await turn.report(next, of: "all of its sessions")
      }
      return list.sessions
    }
  }

  /// Returns when the tag has erased the session, which may take a minute.
  public func erase(_ session: StoredSession, deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<CollectionStatus>(.collectionErase) {
      $0.eraseTrialData = .with {
        $0.campaignID = session.labels.campaign
        $0.sessionID = session.labels.group
        $0.trialID = session.labels.session
        $0.productID = session.labels.product
        $0.subjectID = session.labels.subject
      }
    } answer: {
      $0.hasEraseTrialData ? Self.status($0.eraseTrialData.hasDcStatus, $0.eraseTrialData.dcStatus) : nil
    }
    try await erase(command, deadline)
  }

  /// Erases all recordings. Returns when the tag has erased them, which may take a minute.
  public func eraseAllSessions(deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<CollectionStatus>(.collectionEraseAll) {
      $0.eraseAllData = WireDataCollectionEraseAllDataRequest()
    } answer: {
      $0.hasEraseAllData ? Self.status($0.eraseAllData.hasDcStatus, $0.eraseAllData.dcStatus) : nil
    }
    try await erase(command, deadline)
  }

  /// A response without a status says only that the tag has begun.
  private static func status(_ isStated: Bool, _ number: UInt32) -> CollectionStatus? {
    isStated ? CollectionStatus(rawValue: number) : .erasing
  }

  /// Other commands may be sent while the tag erases, unless it responds only when it has erased.
  private func erase(_ command: TagCommand<CollectionStatus>, _ deadline: Duration?) async throws(JacquardError) {
    var grant = TagReservation.Grant()
    defer { link.reservation.release(.erasure, grant) }
    var reported: CollectionStatus?
    var report = Completion<Void, JacquardError>()
    let observation = notifications.workReports.collections.add {
      reported = CollectionStatus(rawValue: $0.errorcode)
      report.succeed(())
    }
    defer { observation.cancel() }
    var status = try await inTurn(deadline) { turn throws(JacquardError) in
      grant = try await link.reservation.take(.erasure, in: turn)
      let before = try await statusWithoutEndedStream(turn)
      guard before == .idle else { throw JacquardError(before) }
      return try await turn.send(command, responseLimit: link.deadlines.eraseReport)
    }
    guard status == .erasing || status == .idle else { throw JacquardError(status) }
    let end = link.loop.now.advanced(by: link.deadlines.eraseReport)
    while status == .erasing, reported == nil {
      report = Completion()
      do throws(JacquardError) {
        try await link.commands.value(of: report, limit: link.deadlines.eraseInquiry)
      } catch {
        guard error.code == .timeout, link.loop.now < end else { throw error }
        // The report may have been lost.
        status = try await send(Self.collectionStatus, nil)
      }
    }
    status = reported ?? status
    guard status == .idle else { throw JacquardError(status) }
  }
}
