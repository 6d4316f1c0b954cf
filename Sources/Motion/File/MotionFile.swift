/// A motion file in memory.
public struct MotionFile: Sendable {
  /// The samples between a start marker and the next marker.
  public struct Action: Hashable, Sendable {
    /// The number in the start marker.
    public var id: UInt32
    public var samples: [MotionSample]
    /// The number in the end marker, nil without one (see `MotionFileReader.Element.end`).
    public var result: UInt16?

    public init(id: UInt32, samples: [MotionSample] = [], result: UInt16? = nil) {
      self.id = id
      self.samples = samples
      self.result = result
    }
  }

  public let header: MotionFileHeader
  public let actions: [Action]
  /// Whether the file is complete, cut off or damaged.
  public let ending: MotionFileReader.Ending

  /// Reads as far as possible; `ending` says what is missing or damaged.
  public init(_ bytes: UnsafeRawBufferPointer) throws(MotionFileError) {
    var reader = MotionFileReader()
    var header: MotionFileHeader?
    var actions: [Action] = []
    try reader.read(bytes) { element in
      switch element {
      case .header(let read): header = read
      case .start(let id): actions.append(Action(id: id))
      case .samples(let samples): actions[actions.count - 1].samples += samples
      case .end(let result): actions[actions.count - 1].result = result
      case .stray: break
      }
    }
    ending = try reader.ending()
    guard let header else { throw .truncatedMetadata }
    self.header = header
    self.actions = actions
  }
}
