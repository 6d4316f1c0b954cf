import EventLoop
import Glibc

/// Reads an image and its manifest. Blocks for as long as the disk takes, so the library calls it on the caller's
/// thread.
public enum FirmwareFile {
  /// The manifest of an image has the path of the image with this ending.
  static let manifestEnding = ".json"

  /// Reads a regular file of at most 4 MiB. Throws `firmwareImage` if there is none or it cannot be read.
  public static func image(at path: String) throws(JacquardError) -> [UInt8] {
    guard let bytes = try contents(at: path, atMost: FirmwareImage.mostBytes) else {
      throw JacquardError(.firmwareImage, "The firmware image does not exist: \(path).")
    }
    return bytes
  }

  /// Reads the manifest beside an image; nil if there is none.
  public static func manifest(ofImageAt path: String) throws(JacquardError) -> [UInt8]? {
    do throws(JacquardError) {
      return try contents(at: path + manifestEnding, atMost: FirmwareManifest.mostBytes)
    } catch {
      throw JacquardError(.firmwareManifest, error.message)
    }
  }

  /// Reads an image from the beginning of an open regular file, whatever its position.
  public static func image(from descriptor: CInt) throws(JacquardError) -> [UInt8] {
    try contents(of: descriptor, "The file", atMost: FirmwareImage.mostBytes)
  }

  private static func contents(at path: String, atMost limit: Int) throws(JacquardError) -> [UInt8]? {
    // A FIFO must not block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw unreadable(path)
    }
    let owned = OwnedDescriptor(taking: descriptor)
    return try contents(of: owned.rawValue, path, atMost: limit)
  }

  private static func contents(of descriptor: CInt, _ name: String, atMost limit: Int) throws(JacquardError) -> [UInt8]
  {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(name) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JacquardError(.firmwareImage, "\(name) is not a regular file.")
    }
    guard status.st_size <= limit else {
      throw JacquardError(.firmwareImage, "\(name) has \(status.st_size) bytes; at most \(limit) are possible.")
    }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      var failure: JacquardError?
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, initialized in
        repeat {
          count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(bytes.count))
        } while count < 0 && errno == EINTR
        if count < 0 { failure = unreadable(name) }
        initialized = max(count, 0)
      }
      if let failure { throw failure }
      guard count > 0 else { break }
      bytes += piece
    }
    return bytes
  }

  private static func unreadable(_ name: String) -> JacquardError {
    let error = SystemError(code: errno, call: "Cannot read \(name)")
    var failure = JacquardError(.firmwareImage, sentence(error))
    failure.systemErrno = error.code
    return failure
  }
}
