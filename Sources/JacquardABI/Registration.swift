import CJacquard
import Glibc

/// A caller's callback and its `user_data`, from registration to `destroy`.
///
/// `call` runs on the loop; `end` on any thread. After `end` returns the callback does not run any more, and `destroy`
/// has run, unless `end` was called inside the callback: then it runs right after.
final class Registration: @unchecked Sendable {
  let userData: UnsafeMutableRawPointer?
  private let destroy: jacquard_destroy_callback?
  private let groups: [RegistrationGroup]
  private let afterwards: () -> Void
  private let monitor = Monitor()
  private var ended = false
  private var endedInside = false
  private var running: pthread_t?

  /// A group that has ended takes the registration with it at once.
  /// - Parameter afterwards: follows `destroy`.
  init(
    _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?, in groups: RegistrationGroup...,
    afterwards: @escaping () -> Void = {}
  ) {
    self.userData = userData
    self.destroy = destroy
    self.groups = groups
    self.afterwards = afterwards
    for group in groups where !group.insert(self) { end() }
  }

  var hasEnded: Bool { monitor.locked { ended } }

  func call(_ callback: (UnsafeMutableRawPointer?) -> Void) {
    let may = monitor.locked {
      guard !ended else { return false }
      running = pthread_self()
      return true
    }
    guard may else { return }
    callback(userData)
    let mustRelease = monitor.locked {
      running = nil
      monitor.announce()
      return endedInside
    }
    if mustRelease { release() }
  }

  func end() {
    let mustRelease = monitor.locked {
      let isFirst = !ended
      ended = true
      if let running, pthread_equal(running, pthread_self()) != 0 {
        if isFirst { endedInside = true }
        return false
      }
      while running != nil { monitor.wait() }
      return isFirst
    }
    if mustRelease { release() }
  }

  private func release() {
    for group in groups { group.remove(self) }
    destroy?(userData)
    afterwards()
  }
}
