import JacquardWire
import TagStore

/// The JSON file beside an image that says what the image is, so that people can compare images that they saved.
public struct FirmwareManifest: Equatable, Sendable {
  public var identity: FirmwareImage.Identity
  /// The size of the image in bytes.
  public var byteCount: UInt64
  /// The SHA-256 digest of the image, 32 bytes.
  public var sha256: [UInt8]
  /// The CRC-16 that the tag computes too.
  public var checksum: UInt16?

  /// The maximum size of a manifest.
  public static let mostBytes = 65_536

  /// Parses a manifest. Throws `firmwareManifest` for malformed JSON, repeated names, and missing or invalid values.
  public init(json bytes: [UInt8]) throws(JacquardError) {
    let members: Members
    do throws(JSON.FormatError) {
      members = try Members(JSON(utf8: bytes))
    } catch {
      throw JacquardError(.firmwareManifest, "The manifest is not a JSON object with unique names.")
    }
    identity = FirmwareImage.Identity(
      vendor: try members.part("vendor_id"), product: try members.part("product_id"),
      module: try members.has("module_id") ? members.part("module_id") : nil, version: try members.version("version"))
    byteCount = try members.integer("size", UInt64.self)
    sha256 = try members.digest("sha256")
    checksum = try members.has("crc16") ? members.integer("crc16", UInt16.self) : nil
  }

  /// Throws unless the manifest describes this image, with the identity that its owner stated.
  public func check(_ image: FirmwareImage) throws(JacquardError) {
    try compare("vendor_id", identity.vendor, image.identity.vendor)
    try compare("product_id", identity.product, image.identity.product)
    try compare("module_id", text(identity.module), text(image.identity.module))
    try compare("version", identity.version, image.identity.version)
    try compare("size", byteCount, UInt64(image.bytes.count))
    if let checksum { try compare("crc16", checksum, image.checksum) }
    try compare("sha256", hexadecimal(sha256), hexadecimal(image.sha256))
  }

  private func compare<Property: Equatable>(
    _ name: String, _ listed: Property, _ actual: Property
  ) throws(JacquardError) {
    guard listed != actual else { return }
    throw JacquardError(.firmwareManifest, "The manifest says \(name) \(listed); the image has \(actual).")
  }

  private func text(_ module: PartID?) -> String { module.map { "\($0)" } ?? "none" }

  private struct Members {
    private var values: [String: JSON] = [:]

    init(_ json: JSON) throws(JSON.FormatError) {
      guard case .object(let members) = json else { throw JSON.FormatError() }
      for (key, value) in members {
        guard values.updateValue(value, forKey: key) == nil else { throw JSON.FormatError() }
      }
    }

    func has(_ name: String) -> Bool {
      if case .null? = values[name] { false } else { values[name] != nil }
    }

    func part(_ name: String) throws(JacquardError) -> PartID {
      guard case .string(let text)? = values[name], let part = PartID(text) else {
        throw fault(name, "an ID such as 11-78-30-c8")
      }
      return part
    }

    func version(_ name: String) throws(JacquardError) -> TagInfo.Version {
      guard case .string(let text)? = values[name], let version = TagInfo.Version(text) else {
        throw fault(name, "a version such as 1.96.0")
      }
      return version
    }

    func integer<Number: FixedWidthInteger>(_ name: String, _ type: Number.Type) throws(JacquardError) -> Number {
      guard case .number(let text)? = values[name], let number = Number(text) else {
        throw fault(name, "a number up to \(Number.max)")
      }
      return number
    }

    func digest(_ name: String) throws(JacquardError) -> [UInt8] {
      guard case .string(let text)? = values[name], let digest = bytes(hexadecimal: text), digest.count == 32 else {
        throw fault(name, "64 hexadecimal digits")
      }
      return digest
    }

    private func fault(_ name: String, _ expected: String) -> JacquardError {
      JacquardError(
        .firmwareManifest,
        values[name] == nil
          ? "The manifest has no \(name)." : "The manifest's \(name) is not \(expected).")
    }
  }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}

private func bytes(hexadecimal text: String) -> [UInt8]? {
  let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
  guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
