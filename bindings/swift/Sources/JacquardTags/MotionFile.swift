import CJacquard

/// A sample in a motion file.
public struct MotionCounts: Sendable, Hashable {
  /// 32768 counts are the range of the accelerometer.
  public var acceleration: MotionVector
  /// 32768 counts are the range of the gyroscope.
  public var rotation: MotionVector
  /// The tag's clock.
  public var ticks: UInt32

  /// A sample.
  public init(acceleration: MotionVector, rotation: MotionVector, ticks: UInt32) {
    (self.acceleration, self.rotation, self.ticks) = (acceleration, rotation, ticks)
  }

  init(_ counts: jacquard_motion_counts) {
    acceleration = MotionVector(counts.acceleration)
    rotation = MotionVector(counts.rotation)
    ticks = counts.ticks
  }
}

/// A part of a motion file.
public enum MotionPart: Sendable, Hashable {
  /// The file's header. Rates and ranges that are unknown are 0.
  case header(Session, MotionSettings)
  /// An action begins, with its ID.
  case start(UInt32)
  /// Samples of the current action.
  case samples([MotionCounts])
  /// The action ends, with its result; 1 means success.
  case end(UInt32)
  /// Stray units outside of any action.
  case stray([MotionCounts])

  init?(_ part: jacquard_motion_part) {
    var counts: [MotionCounts] { elements(part.samples, part.count).map(MotionCounts.init) }
    switch part.type {
    case JACQUARD_MOTION_PART_HEADER.rawValue:
      guard let session = value(part.session), let settings = value(part.settings) else { return nil }
      self = .header(Session(session), MotionSettings(settings))
    case JACQUARD_MOTION_PART_START.rawValue: self = .start(part.number)
    case JACQUARD_MOTION_PART_SAMPLES.rawValue: self = .samples(counts)
    case JACQUARD_MOTION_PART_END.rawValue: self = .end(part.number)
    case JACQUARD_MOTION_PART_STRAY.rawValue: self = .stray(counts)
    default: return nil
    }
  }
}

/// Reads one motion file: a downloaded session, or a saved stream. Needs no manager.
public final class MotionReader: Sendable {
  private let handle: Handle

  /// Creates a reader.
  public init() throws(JacquardError) {
    handle = try Handle({ jacquard_motion_reader_unref($0) }) { jacquard_motion_reader_new(nil, $0) }
  }

  /// Reads the next bytes of the file, in pieces of any size. Damaged files are read as far as possible.
  ///
  /// - Throws: `.damagedSession`: not a motion file; `.misuse`: two threads read at the same time
  public func read(_ bytes: [UInt8]) throws(JacquardError) -> [MotionPart] {
    var parts: [MotionPart] = []
    try check(
      withUnsafeMutablePointer(to: &parts) { parts in
        jacquard_motion_reader_read(
          handle.pointer, bytes, bytes.count,
          { part, context in
            guard let part = value(part).flatMap(MotionPart.init) else { return }
            context?.assumingMemoryBound(to: [MotionPart].self).pointee.append(part)
          }, parts)
      })
    return parts
  }

  /// How the file ends if no more bytes follow, and the offset of the first stray unit, else 0.
  ///
  /// - Throws: `.damagedSession`: the header is incomplete
  public func end() throws(JacquardError) -> (end: MotionEnd, offset: UInt64) {
    var offset: UInt64 = 0
    let end = try check(jacquard_motion_reader_get_end(handle.pointer, &offset))
    return (MotionEnd(rawValue: UInt32(end)), offset)
  }
}

/// Writes a motion file, for example with the samples of a stream. Use it from one task at a time.
public final class MotionWriter: Sendable {
  private let handle: Handle

  /// Creates a writer for a file with this header.
  public init(_ session: Session, _ settings: MotionSettings = MotionSettings()) throws(JacquardError) {
    var settings = settings.cStruct
    handle = try session.withStruct { session throws(JacquardError) in
      try Handle({ jacquard_motion_writer_unref($0) }) { jacquard_motion_writer_new(session, &settings, $0) }
    }
  }

  /// Starts an action.
  public func start(action: UInt32 = 0) throws(JacquardError) {
    try check(jacquard_motion_writer_start(handle.pointer, action))
  }

  /// Writes samples of the action.
  ///
  /// - Throws: `.invalidArgument`: no action has been started, or a sample would be read as a marker
  public func add(_ samples: [MotionCounts]) throws(JacquardError) {
    let counts = samples.map {
      jacquard_motion_counts(acceleration: $0.acceleration.axes, rotation: $0.rotation.axes, ticks: $0.ticks)
    }
    try check(jacquard_motion_writer_add(handle.pointer, counts, counts.count))
  }

  /// Ends the action. The result is at most 65535; 1 means success.
  public func end(result: UInt32 = 1) throws(JacquardError) {
    try check(jacquard_motion_writer_end(handle.pointer, result))
  }

  /// The bytes that were written since the last call: append them to the file.
  public func take() throws(JacquardError) -> [UInt8] {
    var data: UnsafePointer<UInt8>?
    var size = 0
    try check(jacquard_motion_writer_take(handle.pointer, &data, &size))
    return bytes(data, size)
  }
}
