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
  /// Only the last call is still to come.
  private var muted = false
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
  var isMuted: Bool { monitor.locked { ended || muted } }

  func call(_ callback: (UnsafeMutableRawPointer?) -> Void) { call(callback, isLast: false) }

  /// The last call, also after `mute`; then the end.
  func finish(_ callback: (UnsafeMutableRawPointer?) -> Void) {
    mute()
    call(callback, isLast: true)
    end()
  }

  /// After it returns only `finish` calls. Like `end`, it waits for a call that runs on another thread.
  func mute() {
    monitor.locked {
      muted = true
      waitForCall()
    }
  }

  private func call(_ callback: (UnsafeMutableRawPointer?) -> Void, isLast: Bool) {
    let may = monitor.locked {
      guard !ended, !muted || isLast else { return false }
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
      if isRunningHere {
        if isFirst { endedInside = true }
        return false
      }
      waitForCall()
      return isFirst
    }
    if mustRelease { release() }
  }

  private var isRunningHere: Bool { running.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  /// Inside `locked`.
  private func waitForCall() {
    while running != nil, !isRunningHere { monitor.wait() }
  }

  private func release() {
    for group in groups { group.remove(self) }
    destroy?(userData)
    afterwards()
  }
}
