import CJacquard
import EventLoop
import Jacquard
import JacquardWire
import Motion

/// The object behind a `jacquard_motion_reader`.
final class MotionReaderHandle: HandleObject {
  /// Nil while it is being read.
  private let reader = Locked<MotionFileReader?>(MotionFileReader())

  func close() {}

  func withReader<Value>(_ body: (inout MotionFileReader) throws(MotionFileError) -> Value) throws -> Value {
    guard var taken = reader.withLock({ $0.take() }) else {
      throw JacquardError(.misuse, "The reader is already in use, by its callback or by another thread.")
    }
    defer { put(taken) }
    do throws(MotionFileError) {
      return try body(&taken)
    } catch {
      throw JacquardError(.damagedSession, error)
    }
  }

  private func put(_ used: MotionFileReader) { reader.withLock { $0 = used } }
}

extension JacquardError {
  fileprivate init(_ code: Code, _ error: MotionFileError) {
    self.init(code, "\(error.rawValue.prefix(1).uppercased())\(error.rawValue.dropFirst()).")
  }
}

@_cdecl("jacquard_motion_reader_new") @implementation
public func jacquard_motion_reader_new(
  _ options: UnsafePointer<jacquard_motion_reader_options>?, _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  status {
    let output = try required(reader, "reader")
    try Arguments.check(options)
    output.pointee = try Handles.issue(MotionReaderHandle())
    return 0
  }
}

@_cdecl("jacquard_motion_reader_ref") @implementation
public func jacquard_motion_reader_ref(_ reader: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(reader, as: MotionReaderHandle.self)
}

@_cdecl("jacquard_motion_reader_unref") @implementation
public func jacquard_motion_reader_unref(_ reader: OpaquePointer?) -> OpaquePointer? {
  Handles.release(reader, as: MotionReaderHandle.self)
  return nil
}

@_cdecl("jacquard_motion_reader_read") @implementation
public func jacquard_motion_reader_read(
  _ reader: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int, _ callback: jacquard_motion_part_callback?,
  _ userData: UnsafeMutableRawPointer?
) -> CInt {
  on(reader, MotionReaderHandle.self) { handle in
    let callback = try required(callback, "callback")
    if size != 0 { _ = try required(data, "data") }
    guard size >= 0 else { throw JacquardError.invalid("size is larger than the address space.") }
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    try handle.withReader { reader throws(MotionFileError) in
      try reader.read(bytes) { element in element.withC { callback($0, userData) } }
    }
    return 0
  }
}

@_cdecl("jacquard_motion_reader_get_end") @implementation
public func jacquard_motion_reader_get_end(
  _ reader: OpaquePointer?, _ offset: UnsafeMutablePointer<UInt64>?
) -> CInt {
  on(reader, MotionReaderHandle.self) { handle in
    let ending = try handle.withReader { reader throws(MotionFileError) in try reader.ending() }
    offset?.pointee = if case .damaged(let place) = ending { UInt64(place) } else { 0 }
    return switch ending {
    case .complete: CInt(JACQUARD_MOTION_END_COMPLETE.rawValue)
    case .incomplete: CInt(JACQUARD_MOTION_END_INCOMPLETE.rawValue)
    case .damaged: CInt(JACQUARD_MOTION_END_DAMAGED.rawValue)
    }
  }
}

extension MotionFileReader.Element {
  fileprivate func withC(_ body: (UnsafePointer<jacquard_motion_part>) -> Void) {
    var part = jacquard_motion_part()
    switch self {
    case .header(let header):
      part.type = JACQUARD_MOTION_PART_HEADER.rawValue
      let strings = CStrings()
      var session = jacquard_session(RecordingLabels(header.metadata), strings)
      var settings = jacquard_motion_settings(header.configuration)
      withUnsafePointer(to: &session) { session in
        withUnsafePointer(to: &settings) { settings in
          part.session = session
          part.settings = settings
          body(&part)
        }
      }
      withExtendedLifetime(strings) {}
    case .start(let actionID):
      part.type = JACQUARD_MOTION_PART_START.rawValue
      part.number = actionID
      body(&part)
    case .end(let result):
      part.type = JACQUARD_MOTION_PART_END.rawValue
      part.number = UInt32(result)
      body(&part)
    case .samples(let samples):
      part.type = JACQUARD_MOTION_PART_SAMPLES.rawValue
      samples.bytes.withAlignedCounts { part.deliver($0, body) }
    case .stray(let bytes):
      part.type = JACQUARD_MOTION_PART_STRAY.rawValue
      bytes.withAlignedCounts { part.deliver($0, body) }
    }
  }
}

extension jacquard_motion_part {
  fileprivate mutating func deliver(
    _ counts: UnsafeBufferPointer<jacquard_motion_counts>, _ body: (UnsafePointer<jacquard_motion_part>) -> Void
  ) {
    samples = counts.baseAddress
    count = counts.count
    body(&self)
  }
}

extension UnsafeRawBufferPointer {
  /// In a file, samples follow a header of any length, so most are not aligned. Unaligned samples are copied.
  fileprivate func withAlignedCounts(_ body: (UnsafeBufferPointer<jacquard_motion_counts>) -> Void) {
    guard let baseAddress else { return }
    if Int(bitPattern: baseAddress) % MemoryLayout<jacquard_motion_counts>.alignment == 0 {
      return body(bindMemory(to: jacquard_motion_counts.self))
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(
      byteCount: count, alignment: MemoryLayout<jacquard_motion_counts>.alignment)
    defer { copy.deallocate() }
    copy.copyMemory(from: self)
    body(UnsafeBufferPointer(copy.bindMemory(to: jacquard_motion_counts.self)))
  }
}

/// The object behind a `jacquard_motion_writer`.
final class MotionWriterHandle: HandleObject {
  private struct State {
    var writer: MotionFileWriter
    /// The bytes that the caller has taken.
    var taken: UnsafeMutableBufferPointer<UInt8>?
  }

  private let state: Locked<State>

  init(_ header: MotionFileHeader) { state = Locked(State(writer: MotionFileWriter(header))) }

  deinit { state.withLock { $0.taken?.deallocate() } }

  func close() {}

  func withWriter<Value: Sendable>(_ body: (inout MotionFileWriter) -> Value) -> Value {
    state.withLock { state in
      state.taken?.deallocate()
      state.taken = nil
      return body(&state.writer)
    }
  }

  func take(_ data: UnsafeMutablePointer<UnsafePointer<UInt8>?>, _ size: UnsafeMutablePointer<Int>) {
    let bytes = withWriter { $0.take() }
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    data.pointee = UnsafePointer(copy.baseAddress)
    size.pointee = bytes.count
    let address = UInt(bitPattern: copy.baseAddress)
    state.withLock { state in
      state.taken = UnsafeMutableBufferPointer(start: UnsafeMutablePointer(bitPattern: address), count: bytes.count)
    }
  }
}

@_cdecl("jacquard_motion_writer_new") @implementation
public func jacquard_motion_writer_new(
  _ session: UnsafePointer<jacquard_session>?, _ settings: UnsafePointer<jacquard_motion_settings>?,
  _ writer: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  status {
    let output = try required(writer, "writer")
    let labels = try Arguments.session(session).labels
    try labels.check()
    let settings = try Arguments.motionSettings(settings)
    let header: MotionFileHeader
    do throws(MotionFileError) {
      header = try labels.fileHeader(settings)
    } catch {
      throw JacquardError(.invalidArgument, error)
    }
    output.pointee = try Handles.issue(MotionWriterHandle(header))
    return 0
  }
}

@_cdecl("jacquard_motion_writer_ref") @implementation
public func jacquard_motion_writer_ref(_ writer: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(writer, as: MotionWriterHandle.self)
}

@_cdecl("jacquard_motion_writer_unref") @implementation
public func jacquard_motion_writer_unref(_ writer: OpaquePointer?) -> OpaquePointer? {
  Handles.release(writer, as: MotionWriterHandle.self)
  return nil
}

@_cdecl("jacquard_motion_writer_start") @implementation
public func jacquard_motion_writer_start(_ writer: OpaquePointer?, _ action: UInt32) -> CInt {
  on(writer, MotionWriterHandle.self) {
    $0.withWriter { $0.start(actionID: action) }
    return 0
  }
}

@_cdecl("jacquard_motion_writer_add") @implementation
public func jacquard_motion_writer_add(
  _ writer: OpaquePointer?, _ samples: UnsafePointer<jacquard_motion_counts>?, _ count: Int
) -> CInt {
  on(writer, MotionWriterHandle.self) { handle in
    if count != 0 { _ = try required(samples, "samples") }
    guard (0...Int.max / MotionSample.byteCount).contains(count) else {
      throw JacquardError.invalid("count is larger than the address space.")
    }
    nonisolated(unsafe) let given = MotionSamples(
      UnsafeRawBufferPointer(start: samples, count: count * MotionSample.byteCount))
    let areWritten = handle.withWriter { writer in given.allSatisfy { writer.append($0) } }
    guard areWritten else {
      throw JacquardError.invalid("No action has been started, or a sample would be read as a marker.")
    }
    return 0
  }
}

@_cdecl("jacquard_motion_writer_end") @implementation
public func jacquard_motion_writer_end(_ writer: OpaquePointer?, _ result: UInt32) -> CInt {
  on(writer, MotionWriterHandle.self) { handle in
    guard let result = UInt16(exactly: result) else {
      throw JacquardError.invalid("result is \(result); expected 0 to 65535.")
    }
    guard handle.withWriter({ $0.end(result: result) }) else {
      throw JacquardError.invalid("No action has been started.")
    }
    return 0
  }
}

@_cdecl("jacquard_motion_writer_take") @implementation
public func jacquard_motion_writer_take(
  _ writer: OpaquePointer?, _ data: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ size: UnsafeMutablePointer<Int>?
) -> CInt {
  on(writer, MotionWriterHandle.self) {
    $0.take(try required(data, "data"), try required(size, "size"))
    return 0
  }
}

extension jacquard_motion_settings {
  fileprivate init(_ configuration: WireImuConfiguration) {
    self.init()
    struct_size = UInt32(MemoryLayout<jacquard_motion_settings>.stride)
    filter = MotionSettings.Filter(configuration).rawValue
    accelerometer_rate = AccelerometerRate(rawValue: configuration.accelSampleRate).hertz ?? 0
    gyroscope_rate = GyroscopeRate(rawValue: configuration.gyroSampleRate).hertz ?? 0
    accelerometer_range = AccelerometerRange(rawValue: configuration.accelRange).gravities ?? 0
    gyroscope_range = GyroscopeRange(rawValue: configuration.gyroRange).degreesPerSecond ?? 0
  }
}
