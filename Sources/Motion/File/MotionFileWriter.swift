/// Writes a motion file piece by piece: a stream is stored as a tag stores a recording.
public struct MotionFileWriter: Sendable {
  /// Bytes to append to the file, until they are taken.
  public private(set) var bytes: [UInt8]
  private var isInAction = false

  /// Begins a file: the first bytes to take are the header.
  public init(_ header: MotionFileHeader) { bytes = header.bytes }

  /// The bytes written since the last call.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// An action that was not ended gets no end marker.
  public mutating func start(actionID: UInt32) {
    MotionFileUnit.appendStart(actionID, to: &bytes)
    isInAction = true
  }

  /// Returns false, without writing, outside an action, or if a reader would treat the sample as a marker.
  public mutating func append(_ sample: MotionSample) -> Bool {
    guard isInAction else { return false }
    let count = bytes.count
    sample.append(to: &bytes)
    let isSample = bytes.withUnsafeBytes { written in
      guard let base = written.baseAddress, case .sample = MotionFileUnit(base + count) else { return false }
      return true
    }
    if !isSample { bytes.removeLast(MotionSample.byteCount) }
    return isSample
  }

  /// Returns false, without writing, outside an action.
  public mutating func end(result: UInt16) -> Bool {
    guard isInAction else { return false }
    MotionFileUnit.appendEnd(result, to: &bytes)
    isInAction = false
    return true
  }
}

extension MotionFile {
  /// The bytes of the file. They equal the bytes that were read, unless the file was damaged or its last unit was
  /// truncated.
  public func serialized() -> [UInt8] {
    var writer = MotionFileWriter(header)
    for action in actions {
      writer.start(actionID: action.id)
      for sample in action.samples { _ = writer.append(sample) }
      if let result = action.result { _ = writer.end(result: result) }
    }
    return writer.bytes
  }
}
