import Glibc
import Testing
import TestWorld

@testable import Sharing

@Suite("The runtime directory")
struct RuntimeDirectoryTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func reason(_ parent: String) -> String? {
    do throws(SharingError) {
      _ = try RuntimeDirectory(in: parent)
      return nil
    } catch {
      guard case .unusable(let reason) = error else { return "\(error)" }
      #expect(error.message == reason)
      return reason
    }
  }

  private func withVariable<Result>(_ value: String?, _ body: () throws -> Result) rethrows -> Result {
    let old = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    defer { if let old { setenv("XDG_RUNTIME_DIR", old, 1) } else { unsetenv("XDG_RUNTIME_DIR") } }
    if let value { setenv("XDG_RUNTIME_DIR", value, 1) } else { unsetenv("XDG_RUNTIME_DIR") }
    return try body()
  }

  @Test("is jacquard in XDG_RUNTIME_DIR, and is created for this user only")
  func created() throws {
    let directory = try withVariable(scratch.path + "/") { try RuntimeDirectory.find() }
    #expect(directory.path == scratch.path + "/jacquard")
    var status = stat()
    #expect(lstat(directory.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o700)
    #expect(try withVariable(scratch.path) { try RuntimeDirectory.find() } == directory)
  }

  @Test("is in /run/user without the variable, if that exists", arguments: [nil, ""])
  func unset(_ value: String?) {
    let parent = "/run/user/\(geteuid())"
    var status = stat()
    let isUsable = lstat(parent, &status) == 0 && status.st_mode & 0o777 == 0o700 && status.st_uid == geteuid()
    withVariable(value) {
      if isUsable {
        #expect((try? RuntimeDirectory.find())?.path == parent + "/jacquard")
      } else {
        #expect(throws: SharingError.self) { try RuntimeDirectory.find() }
      }
    }
  }

  @Test("must have an absolute path")
  func relative() {
    #expect(throws: SharingError.unusable("XDG_RUNTIME_DIR is not an absolute path.")) {
      try withVariable("run") { try RuntimeDirectory.find() }
    }
  }

  @Test("is not used if others can access it", arguments: [0o755, 0o777, 0o1777, 0o710, 0o500] as [mode_t])
  func modes(_ mode: mode_t) {
    chmod(scratch.path, mode)
    #expect(reason(scratch.path)?.hasPrefix("\(scratch.path) has the mode 0") == true)
    chmod(scratch.path, 0o700)
    mkdir(scratch.path + "/jacquard", 0o700)
    chmod(scratch.path + "/jacquard", mode)
    #expect(reason(scratch.path)?.hasPrefix("\(scratch.path)/jacquard has the mode 0") == true)
    chmod(scratch.path + "/jacquard", 0o700)
    #expect(reason(scratch.path) == nil)
  }

  @Test("is never a symbolic link", arguments: ["", "/"])
  func links(_ end: String) {
    mkdir(scratch.path + "/real", 0o700)
    symlink(scratch.path + "/real", scratch.path + "/link")
    #expect(reason(scratch.path + "/link" + end) == "\(scratch.path)/link is not a directory, or is a symbolic link.")
    symlink(scratch.path + "/real", scratch.path + "/jacquard")
    #expect(reason(scratch.path) == "\(scratch.path)/jacquard is not a directory, or is a symbolic link.")
    #expect(ScratchDirectory.names(in: scratch.path + "/real").isEmpty)
  }

  @Test("must be a directory that exists")
  func missing() {
    #expect(reason(scratch.path + "/missing") == "\(scratch.path)/missing does not exist.")
    close(open(scratch.path + "/jacquard", O_CREAT | O_WRONLY, 0o700))
    #expect(reason(scratch.path) == "\(scratch.path)/jacquard is not a directory, or is a symbolic link.")
  }

  @Test("is never that of another user", .enabled(if: geteuid() == 0))
  func otherUsers() {
    chown(scratch.path, 65534, 65534)
    #expect(reason(scratch.path) == "\(scratch.path) belongs to user 65534; it must belong to user 0.")
    chown(scratch.path, 0, 0)
    mkdir(scratch.path + "/jacquard", 0o700)
    chown(scratch.path + "/jacquard", 65534, 65534)
    #expect(reason(scratch.path) == "\(scratch.path)/jacquard belongs to user 65534; it must belong to user 0.")
  }
}
