/// The parameters for binding a tag to this machine.
public struct Binding: Equatable, Sendable {
  static let shortestCode = 4
  static let longestOwner = 256

  /// The serial number printed on the tag, or its last characters.
  public let code: String
  /// 1 to 256 bytes; nil keeps the current owner. A tag that is bound to another owner is refused.
  public let owner: String?
  /// Application data to store with the tag; an empty list keeps the stored data.
  public let profile: [ProfileEntry]

  /// - Parameter owner: nil keeps the current owner, if any.
  /// - Parameter profile: an empty one keeps the stored profile.
  public init(code: String, owner: String? = nil, profile: [ProfileEntry] = []) throws(JacquardError) {
    guard code.utf8.count >= Self.shortestCode else {
      throw JacquardError.invalid("code is shorter than \(Self.shortestCode) characters.")
    }
    try Self.check(owner: owner)
    try ProfileEntry.check(profile)
    self.code = code
    self.owner = owner
    self.profile = profile
  }

  /// Throws `invalidArgument` unless the owner is nil or 1 to 256 bytes long.
  public static func check(owner: String?) throws(JacquardError) {
    guard let owner else { return }
    guard (1...longestOwner).contains(owner.utf8.count) else {
      throw JacquardError.invalid("owner is not 1 to \(longestOwner) bytes long.")
    }
  }

  func isAllowed(by recordedOwner: String) -> Bool {
    guard let owner, !recordedOwner.isEmpty else { return true }
    return owner == recordedOwner
  }

  var tagCode: TagCode { TagCode(text: code) }
}

/// The serial number printed on a tag, or its last characters.
struct TagCode: Equatable, Sendable {
  let text: String

  /// Returns whether a full serial number or its end matches the code. Serial numbers are printed in upper case; the
  /// code may be typed in lower case.
  func matches(_ serial: String) -> Bool {
    let (code, serial) = (text.uppercased(), serial.uppercased())
    return code.hasSuffix(serial) || serial.hasSuffix(code)
  }
}

extension JacquardError {
  static let otherOwner = JacquardError(.otherOwner, "The tag is bound to another owner on this machine.")
}
