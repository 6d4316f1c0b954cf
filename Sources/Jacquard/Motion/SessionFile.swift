import EventLoop
import Glibc
import JacquardWire
import Motion

/// A file that receives a session. It may contain the beginning from an earlier download. Files with other sessions are
/// not changed.
public final class SessionFile {
  private static let pieceByteCount = 65_536

  private let descriptor: SharedDescriptor
  /// Bytes at the beginning that are too few to recognise the session: they are received again and compared.
  private var doubtful: [UInt8] = []
  private var position = 0

  /// - Parameter descriptor: from `duplicate`.
  public init(_ descriptor: SharedDescriptor) { self.descriptor = descriptor }

  /// Owns a duplicate of the descriptor of a regular file that is open for reading and writing.
  public static func duplicate(_ descriptor: CInt) throws(JacquardError) -> SharedDescriptor {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDWR
    else {
      throw .invalid("descriptor is \(descriptor); expected a regular file that is open for reading and writing.")
    }
    do throws(SystemError) {
      return try SharedDescriptor(duplicating: descriptor)
    } catch {
      throw JacquardError(system: error)
    }
  }

  /// Reads the file's contents, and returns the receiver of the rest.
  ///
  /// - Parameter observe: called after bytes were written.
  public func receiver(
    of session: StoredSession, _ observe: @escaping (UnsafeRawBufferPointer) throws(JacquardError) -> Void
  ) async throws(JacquardError) -> SessionReceiver {
    let receiver = SessionReceiver { [self] bytes throws(JacquardError) in
      try write(bytes)
      try observe(bytes)
    }
    var reader = MotionFileReader()
    var labels: RecordingLabels?
    while true {
      let piece = try read()
      guard !piece.isEmpty else { break }
      try piece.withUnsafeBufferPointer { piece throws(JacquardError) in
        let bytes = UnsafeRawBufferPointer(piece)
        if labels == nil {
          do throws(MotionFileError) {
            try reader.read(bytes) { if case .header(let header) = $0 { labels = RecordingLabels(header.metadata) } }
          } catch {
            throw JacquardError(.damagedSession, "The file does not belong to this session: \(error.rawValue).")
          }
        }
        guard labels == nil || labels == session.labels else {
          throw JacquardError(.damagedSession, "The file contains another session.", advice: "Choose another file.")
        }
        receiver.resume(after: bytes)
      }
      if labels == nil { doubtful += piece }
      await Task.yield()
    }
    guard labels == nil else { return receiver }
    position = 0
    return SessionReceiver { [self] bytes throws(JacquardError) in
      try write(bytes)
      try observe(bytes)
    }
  }

  private func read() throws(JacquardError) -> [UInt8] {
    var count = 0
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, initialized in
      repeat {
        count = pread(descriptor.rawValue, buffer.baseAddress, Self.pieceByteCount, off_t(position))
      } while count < 0 && errno == EINTR
      initialized = max(count, 0)
    }
    guard count >= 0 else { throw .lastError("Cannot read the file") }
    position += count
    return piece
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(JacquardError) {
    var bytes = bytes[...]
    if position < doubtful.count {
      let known = doubtful[position...].prefix(bytes.count)
      guard known.elementsEqual(bytes.prefix(known.count)) else {
        throw JacquardError(
          .damagedSession, "The file does not belong to this session.", advice: "Choose another file.")
      }
      position += known.count
      bytes = bytes.dropFirst(known.count)
    }
    while let start = UnsafeRawBufferPointer(rebasing: bytes).baseAddress, !bytes.isEmpty {
      let count = pwrite(descriptor.rawValue, start, bytes.count, off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .lastError("Cannot write to the file") }
      position += count
      bytes = bytes.dropFirst(count)
    }
  }
}

extension JacquardError {
  fileprivate static func lastError(_ what: String) -> JacquardError {
    JacquardError(system: SystemError(code: errno, call: what))
  }

  fileprivate init(system error: SystemError) {
    self.init(.system, sentence(error))
    systemErrno = error.code
  }
}

extension RecordingLabels {
  /// Takes the texts in the header of a motion file.
  public init(_ metadata: WireDataCollectionMetadata) {
    self.init(
      session: metadata.trialID, campaign: metadata.campaignID, group: metadata.sessionID,
      subject: metadata.subjectID, product: metadata.productID)
  }
}
