/// Reads a motion file piece by piece, for example during its download. Memory use does not grow with the file.
///
/// The header is followed by units of 16 bytes: a start marker with the action's ID, samples, an end marker with a
/// result; and this is repeated for each further action.
public struct MotionFileReader: Sendable {
  /// A part of a motion file. Its bytes are valid only during the call that delivers it.
  public enum Element {
    case header(MotionFileHeader)
    case start(actionID: UInt32)
    /// The ID of the most recent action.
    case samples(MotionSamples)
    /// Sources disagree on whether 1 means success or failure; successful recordings contain 1.
    case end(result: UInt16)
    /// Units that are neither in an action nor a start marker. Reading continues.
    case stray(UnsafeRawBufferPointer)
  }

  /// How a file ends, if it ends after the bytes that were read.
  public enum Ending: Hashable, Sendable {
    /// The last action is closed by its end marker.
    case complete
    /// The recording or its download was cut off.
    case incomplete
    /// The unit at this offset, the first of that kind, is neither in an action nor a start marker.
    case damaged(offset: Int)
  }

  private enum State {
    case header
    case betweenActions
    case inAction
    case failed(MotionFileError)
  }

  private var state = State.header
  /// The header as far as it was read, then a unit as far as it was read.
  private var partial: [UInt8] = []
  private var hasAction = false
  private var firstStray: Int?
  /// The offset in the file after the last complete unit.
  private var offset = 0

  public init() {}

  /// The number of bytes read after the last complete unit.
  public var remainder: Int { partial.count }

  /// Calls `take` for each element that these bytes complete, in the order of the file. Its argument is valid only
  /// during the call. Elements before an error are delivered; after it nothing can be read, and every call throws it.
  public mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ take: (Element) -> Void
  ) throws(MotionFileError) {
    switch state {
    case .failed(let error): throw error
    case .betweenActions, .inAction: readUnits(bytes, take)
    case .header:
      partial += bytes
      guard let header = try completeHeader() else { return }
      let rest = Array(partial[header.bytes.count...])
      partial = []
      offset = header.bytes.count
      state = .betweenActions
      take(.header(header))
      rest.withUnsafeBytes { readUnits($0, take) }
    }
  }

  /// The end of the file if no more bytes follow. Throws if there is no complete header.
  public func ending() throws(MotionFileError) -> Ending {
    if let firstStray { return .damaged(offset: firstStray) }
    switch state {
    case .failed(let error): throw error
    case .header:
      _ = try readHeader()
      return .incomplete
    case .inAction: return .incomplete
    case .betweenActions: return hasAction && partial.isEmpty ? .complete : .incomplete
    }
  }

  // MARK: - Header

  private func readHeader() throws(MotionFileError) -> MotionFileHeader {
    try partial.withUnsafeBufferPointer { bytes throws(MotionFileError) in
      try MotionFileHeader(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Nil if bytes are missing.
  private mutating func completeHeader() throws(MotionFileError) -> MotionFileHeader? {
    do throws(MotionFileError) {
      return try readHeader()
    } catch .truncatedMetadata, .truncatedConfiguration {
      return nil
    } catch {
      state = .failed(error)
      partial = []
      throw error
    }
  }

  // MARK: - Units

  private mutating func readUnits(_ bytes: UnsafeRawBufferPointer, _ take: (Element) -> Void) {
    var bytes = bytes
    if !partial.isEmpty {
      let missing = bytes.prefix(MotionFileUnit.byteCount - partial.count)
      partial += missing
      guard partial.count == MotionFileUnit.byteCount else { return }
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing.endIndex...])
      let unit = partial
      partial.removeAll(keepingCapacity: true)
      unit.withUnsafeBytes { readWholeUnits($0, take) }
    }
    let remainder = bytes.count % MotionFileUnit.byteCount
    readWholeUnits(UnsafeRawBufferPointer(rebasing: bytes.dropLast(remainder)), take)
    partial += bytes.suffix(remainder)
  }

  private mutating func readWholeUnits(_ bytes: UnsafeRawBufferPointer, _ take: (Element) -> Void) {
    guard let base = bytes.baseAddress else { return }
    /// The offset of the first undelivered sample.
    var begin = 0
    for index in stride(from: 0, to: bytes.count, by: MotionFileUnit.byteCount) {
      switch (MotionFileUnit(base + index), state) {
      case (.sample, _): continue
      // Without a start marker it does not end an action, so it is delivered with its neighbours.
      case (.end, .betweenActions): continue
      case (.start(let actionID), _):
        deliver(bytes[begin..<index], take)
        state = .inAction
        hasAction = true
        take(.start(actionID: actionID))
      case (.end(let result), _):
        deliver(bytes[begin..<index], take)
        state = .betweenActions
        take(.end(result: result))
      }
      offset += MotionFileUnit.byteCount
      begin = index + MotionFileUnit.byteCount
    }
    deliver(bytes[begin...], take)
  }

  private mutating func deliver(_ units: Slice<UnsafeRawBufferPointer>, _ take: (Element) -> Void) {
    guard !units.isEmpty else { return }
    let bytes = UnsafeRawBufferPointer(rebasing: units)
    if case .inAction = state {
      take(.samples(MotionSamples(bytes)))
    } else {
      firstStray = firstStray ?? offset
      take(.stray(bytes))
    }
    offset += bytes.count
  }
}
