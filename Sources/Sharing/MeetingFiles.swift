import EventLoop
import Glibc

/// The files of one tag on one bus in the runtime directory. They are never removed, except sockets of earlier hosts.
struct MeetingFiles {
  let directory: RuntimeDirectory
  private let base: String

  init(_ directory: RuntimeDirectory, bus: String, tag: String) {
    self.directory = directory
    // The bus chooses its ID, and an address has room for 107 bytes.
    base = Self.hash(bus) + "-" + (Self.isPlain(tag) ? tag : Self.hash(tag))
  }

  var lock: String { base + ".lock" }
  var bell: String { base + ".bell" }
  func socket(_ epoch: UInt64) -> String { "\(base).\(epoch).sock" }

  private static func isPlain(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
  }

  private static func hash(_ text: String) -> String {
    let digits = String(FNV.hash64(text.utf8), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Cleaning programs remove files that were not used for six hours, unless the sticky bit is set: XDG Base Directory
  /// Specification 0.8.
  static let mode: mode_t = 0o1600

  /// Whether `descriptor` is a file of this type that only this user can access.
  static func isOwn(_ descriptor: Int32, _ type: mode_t) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == type && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }
}

/// The hash function FNV-1a.
enum FNV {
  static func hash64(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  static func hash32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
