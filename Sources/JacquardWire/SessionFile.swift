import WireFormat

/// A motion recording as the tag stores it and sends it over the raw data channel.
///
/// Two messages, each preceded by its length, describe the recording and its settings. Units of 16 bytes follow, for
/// each action: a start marker with the action's ID, samples, and an end marker with a result.
public struct SessionFile {
  public var metadata: WireDataCollectionMetadata
  public var configuration: WireImuConfiguration
  public var actions: [Action]
  public var ending: Ending

  public struct Action: Hashable {
    public var id: UInt32
    public var samples: [IMUSample]
    /// From the end marker; nil without one. Sources disagree on whether 1 means success or failure; it is 1 in
    /// successful recordings.
    public var result: UInt16?
  }

  public enum Ending: Hashable {
    /// The last action has an end marker.
    case complete
    /// The recording or its download is truncated; everything before is kept.
    case incomplete
    /// At this offset there is neither a start marker nor the end of the file; everything before is kept.
    case damaged(offset: Int)
  }

  public init(_ bytes: UnsafeRawBufferPointer) throws(SessionFileFault) {
    var reader = ByteReader(bytes)
    metadata = try Self.message(&reader, cutOff: .truncatedMetadata, malformed: .malformedMetadata)
    configuration = try Self.message(&reader, cutOff: .truncatedConfiguration, malformed: .malformedConfiguration)
    (actions, ending) = Self.body(&reader)
  }

  private static func message<Message: WireMessage>(
    _ reader: inout ByteReader, cutOff: SessionFileFault, malformed: SessionFileFault
  ) throws(SessionFileFault) -> Message {
    guard let length = reader.varint(), let bytes = reader.take(length) else { throw cutOff }
    do { return try Message(decoding: bytes) } catch { throw malformed }
  }

  private static func body(_ reader: inout ByteReader) -> ([Action], Ending) {
    var actions: [Action] = []
    var current: Action?
    while let bytes = reader.take(SessionUnit.byteCount), let unit = SessionUnit(bytes) {
      switch unit {
      case .start(let id):
        if let unfinished = current { actions.append(unfinished) }
        current = Action(id: id, samples: [], result: nil)
      case .end(let result) where current != nil:
        current?.result = result
        if let finished = current { actions.append(finished) }
        current = nil
      case .sample(let sample) where current != nil:
        current?.samples.append(sample)
      case .sample, .end:
        return (actions, .damaged(offset: reader.offset - SessionUnit.byteCount))
      }
    }
    let isClosed = current == nil && !actions.isEmpty && reader.isAtEnd
    if let unfinished = current { actions.append(unfinished) }
    return (actions, isClosed ? .complete : .incomplete)
  }
}
