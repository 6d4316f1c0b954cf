import CJacquard
import Glibc
import Jacquard

/// A caller's callback and its `user_data`, from registration to `destroy`.
///
/// `call` runs on the loop; `end` runs on any thread. After `end` returns the callback does not run any more, and
/// `destroy` has returned, unless `end` was called inside one of the two: then `destroy` returns immediately
/// afterwards.
final class Registration: @unchecked Sendable {
  let userData: UnsafeMutableRawPointer?
  private let destroy: jacquard_destroy_callback?
  private let groups: [RegistrationGroup]
  private let afterwards: () -> Void
  private let monitor = Monitor()
  private var ended = false
  /// Only the final call may still run.
  private var muted = false
  private var endedInside = false
  /// The threads that run the callback and `destroy`.
  private var running: pthread_t?
  private var releasing: pthread_t?
  /// `destroy` has returned or will never be called.
  private var isOver = false

  /// - Parameter afterwards: runs after `destroy`.
  init(
    _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?, in groups: RegistrationGroup...,
    afterwards: @escaping () -> Void = {}
  ) {
    self.userData = userData
    self.destroy = destroy
    self.groups = groups
    self.afterwards = afterwards
  }

  /// The last step of a function that registers: nothing may fail after it. It throws when an owner has ended, possibly
  /// at this moment on another thread; then `destroy` is not called, and `ticket` is released.
  func begin(with ticket: OpaquePointer? = nil) throws {
    for group in groups where !group.insert(self) {
      // The other owner has ended and ended this registration too: it began and ended.
      guard withdraw() else { return }
      Handles.release(ticket)
      throw JacquardError(.closed, JacquardError.Code.closed.text)
    }
  }

  private func withdraw() -> Bool {
    let isFirst = monitor.locked {
      guard !ended else { return false }
      (ended, isOver) = (true, true)
      return true
    }
    if isFirst { leaveGroups() }
    return isFirst
  }

  var hasEnded: Bool { monitor.locked { ended } }
  var isMuted: Bool { monitor.locked { ended || muted } }

  func call(_ callback: (UnsafeMutableRawPointer?) -> Void) { call(callback, isLast: false) }

  /// Makes the final call, even after `mute`, and then ends.
  func finish(_ callback: (UnsafeMutableRawPointer?) -> Void) {
    mute()
    call(callback, isLast: true)
    end()
  }

  /// After it returns, only `finish` calls back. Like `end`, it waits for a call that runs on another thread.
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
      if endedInside { releasing = pthread_self() }
      monitor.announce()
      return endedInside
    }
    if mustRelease { release() }
  }

  func end() {
    let mustRelease = monitor.locked {
      let isFirst = !ended
      ended = true
      if isHere(running) {
        if isFirst { endedInside = true }
        return false
      }
      if isHere(releasing) { return false }
      waitForCall()
      if isFirst {
        releasing = pthread_self()
      } else {
        while !isOver { monitor.wait() }
      }
      return isFirst
    }
    if mustRelease { release() }
  }

  private func isHere(_ thread: pthread_t?) -> Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  /// Call inside `locked`.
  private func waitForCall() {
    while running != nil, !isHere(running) { monitor.wait() }
  }

  private func release() {
    destroy?(userData)
    // Not earlier: an owner that ends at this moment must find this registration and wait.
    leaveGroups()
    afterwards()
    monitor.locked {
      releasing = nil
      isOver = true
      monitor.announce()
    }
  }

  private func leaveGroups() {
    for group in groups { group.remove(self) }
  }
}
