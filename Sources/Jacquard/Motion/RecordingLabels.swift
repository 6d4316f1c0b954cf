import JacquardWire
import Motion

/// The texts that identify a stored session. `session` is the wire's trial ID, `group` its session ID.
public struct RecordingLabels: Hashable, Sendable {
  /// The name of the recording.
  public var session: String
  public var campaign: String
  public var group: String
  /// The person or thing that moves.
  public var subject: String
  /// The product that the tag is attached to.
  public var product: String

  /// Takes the texts as they are; `check()` validates them.
  public init(
    session: String, campaign: String = "jacquard", group: String = "jacquard", subject: String = "jacquard",
    product: String = "jacquard"
  ) {
    self.session = session
    self.campaign = campaign
    self.group = group
    self.subject = subject
    self.product = product
  }

  /// The limit of the reference SDK for iOS, which counts characters; a tag can only count bytes.
  private static let lengths = 1...30

  /// Throws `invalidArgument` unless each text is 1 to 30 bytes long and contains no zero byte.
  public func check() throws(JacquardError) {
    let named = [
      ("session", session), ("campaign", campaign), ("group", group), ("subject", subject), ("product", product),
    ]
    for (name, text) in named where !Self.lengths.contains(text.utf8.count) || text.utf8.contains(0) {
      throw JacquardError.invalid("\(name) is \(text.utf8.count) bytes long; expected 1 to 30 without a zero byte.")
    }
  }

  func metadata(mode: WireDataCollectionMode) -> WireDataCollectionMetadata {
    .with {
      $0.campaignID = campaign
      $0.sessionID = group
      $0.trialID = session
      $0.subjectID = subject
      $0.mode = UInt32(mode.rawValue)
      $0.actionID = 0
      $0.sensorIds = [0]
      $0.productID = product
    }
  }

  /// The beginning of a file with samples of a stream.
  public func fileHeader(_ settings: MotionSettings) throws(MotionFileError) -> MotionFileHeader {
    try MotionFileHeader(metadata: metadata(mode: .streaming), configuration: settings.wire)
  }
}
