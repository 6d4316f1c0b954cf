import CJacquard
import CLinux
import Glibc
import Jacquard

/// The log on standard error, for programs that have no other output for it.
enum StandardErrorLog {
  private static let levels: [(name: String, level: Log.Level)] = [
    ("warning", .warning), ("info", .info), ("debug", .debug),
  ]

  /// The level in $JACQUARD_LOG; nil: nothing is written.
  static var level: Log.Level? {
    guard let value = secure_getenv("JACQUARD_LOG").flatMap({ String(validatingCString: $0) }) else { return nil }
    return levels.first { $0.name == value }?.level
  }

  /// A line is written with one call, so that those of several threads are not mixed.
  static func write(_ line: Log.Line) {
    let name = levels.first { $0.level == line.level }?.name ?? ""
    var text = "jacquard: \(name): \(line.part.rawValue): \(line.text)\n"
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

func withC(_ line: Log.Line, _ body: (UnsafePointer<jacquard_log>) -> Void) {
  let strings = CStrings()
  var copy = jacquard_log()
  copy.level = line.level.rawValue
  copy.part = strings(line.part.rawValue)
  copy.message = strings(line.text)
  withExtendedLifetime(strings) { body(&copy) }
}

@_cdecl("jacquard_manager_on_log") @implementation
public func jacquard_manager_on_log(
  _ manager: OpaquePointer?, _ level: UInt32, _ callback: jacquard_log_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    guard let level = Log.Level(rawValue: level) else {
      throw JacquardError.invalid("level is not a valid jacquard_log_level.")
    }
    try handle.checkOpen()
    let registration = Registration(userData, destroy, in: handle.registrations)
    try handle.subscribe(registration, subscription) { manager in
      manager.addLog(upTo: level) { line in withC(line) { line in registration.call { callback(line, $0) } } }
    }
    return 0
  }
}
