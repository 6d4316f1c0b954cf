import CJacquard
import Jacquard

@_cdecl("jacquard_manager_on_log") @implementation
public func jacquard_manager_on_log(
  _ manager: OpaquePointer?, _ level: jacquard_log_level, _ callback: jacquard_log_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    guard let level = Log.Level(rawValue: level.rawValue) else {
      throw JacquardError.invalid("level is not a valid jacquard_log_level.")
    }
    try handle.checkOpen()
    let registration = Registration(userData, destroy, in: handle.registrations)
    try handle.subscribe(registration, subscription) { manager in
      manager.addLog(upTo: level) { level, part, message in
        let strings = CStrings()
        var copy = jacquard_log()
        copy.level = jacquard_log_level(level.rawValue)
        copy.part = strings(part.rawValue)
        copy.message = strings(message)
        withExtendedLifetime(strings) { registration.call { callback(&copy, $0) } }
      }
    }
    return 0
  }
}
