import JacquardWire

/// A firmware image: the bytes as the tag stores them, and what they are for.
public final class FirmwareImage: Sendable {
  /// The component that an image is for, and its version. The bytes do not contain it in a known form.
  public struct Identity: Hashable, Sendable {
    public var vendor: PartID
    public var product: PartID
    /// The number of the module; nil if the image is for the tag itself or for gear.
    public var module: PartID?
    /// Compared with the version that is read back after the update.
    public var version: TagInfo.Version

    public init(vendor: PartID, product: PartID, module: PartID? = nil, version: TagInfo.Version) {
      self.vendor = vendor
      self.product = product
      self.module = module
      self.version = version
    }
  }

  /// Larger than the flash memory that a tag of this size can have; the real size is not known.
  public static let mostBytes = 4 << 20
  /// The size of a block in both reference SDKs.
  static let blockByteCount = 128

  public let bytes: [UInt8]
  public let identity: Identity
  /// CRC-16 with polynomial 0x1021 and initial value 0, as the tag computes it.
  public let checksum: UInt16
  /// The SHA-256 digest, 32 bytes.
  public let sha256: [UInt8]
  /// The checksum of the bytes before each block, computed once.
  private let prefixes: [CRC16]

  /// Throws `firmwareImage` if the image is empty or larger than 4 MiB.
  public init(_ bytes: [UInt8], _ identity: Identity) throws(JacquardError) {
    guard !bytes.isEmpty else { throw JacquardError(.firmwareImage, "The firmware image is empty.") }
    guard bytes.count <= Self.mostBytes else {
      throw JacquardError(
        .firmwareImage, "The firmware image has \(bytes.count) bytes; at most \(Self.mostBytes) are possible.")
    }
    self.bytes = bytes
    self.identity = identity
    var crc = CRC16()
    prefixes = stride(from: 0, to: bytes.count, by: Self.blockByteCount).map { start in
      let before = crc
      crc.update(Array(bytes[start..<min(start + Self.blockByteCount, bytes.count)]))
      return before
    }
    checksum = crc.value
    sha256 = SHA256.digest(of: bytes)
  }

  /// The checksum of the first bytes.
  func checksum(ofFirst count: Int) -> UInt16 {
    guard count < bytes.count else { return checksum }
    let block = count / Self.blockByteCount
    var crc = prefixes[block]
    crc.update(Array(bytes[block * Self.blockByteCount..<count]))
    return crc.value
  }

  /// The component and version, for messages.
  var name: String { "\(identity.vendor) \(identity.product) \(identity.version)" }
}

extension TagInfo.Version: Comparable, CustomStringConvertible {
  /// Compares the major numbers first, then minor, then point.
  public static func < (left: TagInfo.Version, right: TagInfo.Version) -> Bool {
    (left.major, left.minor, left.point) < (right.major, right.minor, right.point)
  }

  /// The three numbers, separated by dots.
  public var description: String { "\(major).\(minor).\(point)" }

  /// Parses three numbers separated by dots; nil for any other text.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.first == UInt8(ascii: "+") ? nil : UInt32(Substring(part))
    }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    self.init(major: numbers[0], minor: numbers[1], point: numbers[2])
  }
}
