import EventLoop
import JacquardWire

extension Tag {
  /// Receives the rest of a stored session until the receiver has all of it, or an error ends it. It can be continued
  /// on any link and in any process.
  public func download(_ session: StoredSession, to receiver: SessionReceiver) async throws(JacquardError) {
    guard receiver.byteCount <= session.byteCount else {
      throw JacquardError(
        .damagedSession,
        "\(receiver.byteCount) bytes were received, but the session has only \(session.byteCount).")
    }
    let download = Download(session, receiver)
    guard !download.isComplete else { return }
    defer { if link.rawChannel.download === download { link.rawChannel.download = nil } }
    var grant = TagReservation.Grant()
    defer { link.reservation.release(.download, grant) }
    do throws(JacquardError) {
      try await inTurn(nil) { turn throws(JacquardError) in
        grant = try await link.reservation.take(.download, in: turn)
        try await begin(download, session, UInt32(receiver.byteCount), turn)
      }
      try await receive(download, receiver)
      await transferEnds()
    } catch {
      if link.rawChannel.download === download {
        download.cancel()
        await stopInSpiteOfCancellation()
      }
      throw error
    }
  }

  private func receive(_ download: Download, _ receiver: SessionReceiver) async throws(JacquardError) {
    var limit = link.deadlines.downloadSilence
    while !download.isComplete {
      let before = receiver.byteCount
      do throws(JacquardError) {
        try await link.commands.value(of: download.nextProgress(), limit: limit)
        limit = link.deadlines.downloadSilence
      } catch {
        guard error.code == .timeout, limit == link.deadlines.downloadSilence else { throw error }
        let status = try await send(Self.collectionStatus, nil)
        guard receiver.byteCount == before else { continue }
        guard status == .transferring else { throw .transferEnded(after: before) }
        limit = link.deadlines.downloadPacket - limit
      }
    }
  }

  /// The tag refuses to erase the session until it has received the last acknowledgement.
  private func transferEnds() async {
    for _ in 0..<Self.statusReads {
      guard (try? await send(Self.collectionStatus, nil)) == .transferring else { return }
      try? await link.loop.sleep(link.deadlines.transferPause)
    }
  }

  private static var statusReads: Int { 5 }

  /// The error that ended a transfer is more useful than an error of this request.
  private func stopInSpiteOfCancellation() async {
    guard !isStale else { return }
    await link.loop.spawn { [self] in _ = try? await stopMotion() }.value
  }

  private func begin(
    _ download: Download, _ session: StoredSession, _ offset: UInt32, _ turn: CommandTurn
  ) async throws(JacquardError) {
    guard link.rawChannel.download?.isReceiving != true else {
      throw JacquardError(.busy, "Another session is being downloaded.")
    }
    switch try await statusWithoutEndedStream(turn) {
    case .idle: break
    // An earlier download of a host that no longer receives it.
    case .transferring: _ = try await turn.send(Self.stop)
    case let status: throw JacquardError(status)
    }
    link.rawChannel.download = download
    do throws(JacquardError) {
      let status = try await turn.send(Self.data(of: session, from: offset))
      // A short session may be transferred before the response is written.
      guard status == .transferring || status == .idle else { throw JacquardError(status) }
    } catch {
      guard error.code == .timeout else { throw error }
      // Sent twice, it would restart the transfer at the same offset. The status shows whether the tag received it.
      let status = try await turn.send(Self.collectionStatus)
      guard status == .transferring || download.isComplete else { throw error }
    }
  }

  private static func data(of session: StoredSession, from offset: UInt32) -> TagCommand<CollectionStatus> {
    TagCommand(.collectionData) {
      $0.trialData = .with {
        $0.campaignID = session.labels.campaign
        $0.sessionID = session.labels.group
        $0.trialID = session.labels.session
        $0.subjectID = session.labels.subject
        $0.sensorID = 0
        $0.offset = offset
        $0.productID = session.labels.product
      }
    } answer: {
      $0.hasTrialData ? CollectionStatus(rawValue: $0.trialData.dcStatus) : nil
    }
  }
}

extension JacquardError {
  /// The tag has ended a transfer before all bytes of the listed size were received.
  static func transferEnded(after byteCount: Int) -> JacquardError {
    JacquardError(
      .damagedSession, "The tag ended the transfer after \(byteCount) bytes of the session.",
      advice: "List the sessions again and download the session again.")
  }
}
