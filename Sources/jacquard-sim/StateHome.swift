import EventLoop
import Glibc

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

  /// A persistent directory. The library creates it when needed.
  static func kept(at path: String) throws -> StateHome {
    if path.hasPrefix("/") { return StateHome(path, isTemporary: false) }
    guard let here = getcwd(nil, 0) else { throw SystemError(code: errno, call: "getcwd") }
    defer { free(here) }
    return StateHome(String(cString: here) + "/" + path, isTemporary: false)
  }

  deinit { if isTemporary { Self.remove(path) } }

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
