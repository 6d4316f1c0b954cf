import JacquardWire

/// A recording that the tag has stored.
public struct StoredSession: Hashable, Sendable {
  public var labels: RecordingLabels
  /// The size in bytes; 0 for a session that is not from the tag's list.
  public var byteCount: UInt32
  /// CRC-16 with an unknown start value (see `MotionFileChecksum`); nil if the tag reported none.
  public var checksum: UInt16?

  public init(labels: RecordingLabels, byteCount: UInt32, checksum: UInt16?) {
    self.labels = labels
    self.byteCount = byteCount
    self.checksum = checksum
  }

  /// Every recording has a header, so only a session that the tag has not listed is empty.
  public func checkListed() throws(JacquardError) {
    guard byteCount > 0 else {
      throw .invalid("The session's size is 0; expected a session from the tag's list of sessions.")
    }
  }

  /// Nil if the tag stored no data for it.
  init?(_ trial: WireDataCollectionTrialList) {
    guard let data = trial.trialData.first, let sensor = data.sensorData.first else { return nil }
    labels = RecordingLabels(
      session: trial.trialID, campaign: trial.campaignID, group: trial.sessionID, subject: data.subjectID,
      product: trial.productID)
    byteCount = sensor.fsize
    checksum = sensor.hasCrc16 ? UInt16(exactly: sensor.crc16) : nil
  }
}

/// The notifications of one listing. They may arrive twice, if the request was repeated.
struct SessionList {
  private var total: UInt32?
  /// The sessions by index; nil if the tag stored no data.
  private var received: [UInt32: StoredSession?] = [:]

  mutating func add(_ notification: WireDataCollectionTrialListNotification) {
    total = notification.totalTrials
    guard notification.hasTrial, notification.trialIndex < notification.totalTrials else { return }
    received[notification.trialIndex] = .some(StoredSession(notification.trial))
  }

  var isComplete: Bool { total.map { received.count == Int($0) } ?? false }

  /// The sessions in the tag's order.
  var sessions: [StoredSession] { received.sorted { $0.key < $1.key }.compactMap(\.value) }
}
