import ArgumentParser
import EventLoop
import Glibc
import TagSimulator

/// $XDG_STATE_HOME of the program under test, so that the user's known tags stay unchanged.
final class StateHome {
  /// Absolute, as the XDG Base Directory Specification requires.
  let path: String
  private let isTemporary: Bool

  private init(_ path: String, isTemporary: Bool) {
    self.path = path
    self.isTemporary = isTemporary
  }

  /// A directory that is removed with this object.
  static func temporary() throws -> StateHome {
    var template = Array("/tmp/jacquard-sim-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(code: errno, call: "mkdtemp") }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return StateHome(path, isTemporary: true)
  }

  /// A persistent directory, created if necessary.
  static func kept(at path: String) throws -> StateHome {
    var current = path.hasPrefix("/") ? "/" : "./"
    for name in path.split(separator: "/") {
      current += name + "/"
      guard mkdir(current, 0o700) == 0 || errno == EEXIST || errno == EROFS else {
        throw ValidationError("\(SystemError(code: errno, call: "cannot create the directory \(path)"))".printable)
      }
    }
    // Fails if it is not a directory.
    guard access(current, W_OK | X_OK) == 0, let absolute = realpath(current, nil) else {
      throw ValidationError("\(SystemError(code: errno, call: "cannot use the directory \(path)"))".printable)
    }
    defer { free(absolute) }
    return StateHome(String(cString: absolute), isTemporary: false)
  }

  deinit { if isTemporary { Self.remove(path) } }

  // MARK: - Bonds

  private var bondsDirectory: String { path + "/jacquard-sim" }
  private var bondsFile: String { bondsDirectory + "/bonds" }

  /// The bonds of the simulated bluetoothd after the last run.
  var bonds: String { InputFile.read(bondsFile).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// Replaces the file as a whole.
  func store(bonds: String) throws {
    guard !isTemporary, bonds != self.bonds else { return }
    guard mkdir(bondsDirectory, 0o700) == 0 || errno == EEXIST else {
      throw SystemError(code: errno, call: "cannot create \(bondsDirectory)")
    }
    try WholeFile.replace(bondsFile, with: Array(bonds.utf8))
  }

  private static func remove(_ path: String) {
    guard Glibc.remove(path) != 0, let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { remove(path + "/" + name) }
    }
    closedir(directory)
    _ = Glibc.remove(path)
  }
}
