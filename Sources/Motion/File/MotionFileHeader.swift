import JacquardWire

/// The two messages at the beginning of a motion file, each preceded by its length. They describe what was recorded,
/// and how.
public struct MotionFileHeader: Equatable, Sendable {
  /// The recorded session: its labels, and whether it is a recording or a stream.
  public let metadata: WireDataCollectionMetadata
  /// The sensor's rates, ranges and filter, in the tag's numbers.
  public let configuration: WireImuConfiguration
  /// The bytes in the file, because a tag may encode a message differently from this library.
  public let bytes: [UInt8]

  /// Longer messages are refused. A packet of the tag has at most 1,024 bytes.
  static let maximumMessageByteCount = 65_536

  /// Encodes both messages. Throws if one of them is larger than 64 KiB.
  public init(
    metadata: WireDataCollectionMetadata, configuration: WireImuConfiguration
  ) throws(MotionFileError) {
    var bytes: [UInt8] = []
    guard Self.append(metadata.serializedBytes(), to: &bytes) else { throw .oversizedMetadata }
    guard Self.append(configuration.serializedBytes(), to: &bytes) else { throw .oversizedConfiguration }
    self.metadata = metadata
    self.configuration = configuration
    self.bytes = bytes
  }

  /// Reads a header from the beginning of `bytes`. A `truncated…` error means that further bytes may complete it.
  init(_ bytes: UnsafeRawBufferPointer) throws(MotionFileError) {
    var reader = ByteReader(bytes)
    let first = try Self.message(&reader, truncated: .truncatedMetadata, oversized: .oversizedMetadata)
    do { metadata = try WireDataCollectionMetadata(serializedBytes: first) } catch { throw .malformedMetadata }
    let second = try Self.message(&reader, truncated: .truncatedConfiguration, oversized: .oversizedConfiguration)
    do { configuration = try WireImuConfiguration(serializedBytes: second) } catch { throw .malformedConfiguration }
    self.bytes = Array(bytes[..<reader.offset])
  }

  private static func message(
    _ reader: inout ByteReader, truncated: MotionFileError, oversized: MotionFileError
  ) throws(MotionFileError) -> UnsafeRawBufferPointer {
    switch reader.varint() {
    case .truncated: throw truncated
    case .oversized: throw oversized
    case .value(let length):
      guard length <= maximumMessageByteCount else { throw oversized }
      guard let message = reader.take(length) else { throw truncated }
      return message
    }
  }

  private static func append(_ message: [UInt8], to bytes: inout [UInt8]) -> Bool {
    guard message.count <= maximumMessageByteCount else { return false }
    var length = message.count
    while length >= 0x80 {
      bytes.append(UInt8(length & 0x7f | 0x80))
      length >>= 7
    }
    bytes.append(UInt8(length))
    bytes += message
    return true
  }
}

/// The reason why a motion file cannot be read or written at all. Its two leading messages specify where the samples
/// begin.
public enum MotionFileError: String, Error, CaseIterable, Sendable {
  case truncatedMetadata = "the motion file ends inside its metadata"
  case malformedMetadata = "the motion file's metadata cannot be decoded"
  case oversizedMetadata = "the motion file's metadata is larger than 64 KiB"
  case truncatedConfiguration = "the motion file ends inside its sensor configuration"
  case malformedConfiguration = "the motion file's sensor configuration cannot be decoded"
  case oversizedConfiguration = "the motion file's sensor configuration is larger than 64 KiB"
}
