import CJacquard
import EventLoop
import Glibc
import Jacquard

/// A caller's callback and its `user_data`, from registration to `destroy`.
///
/// `call` runs on the loop; `end` runs on any thread. After `end` returns, the callback no longer runs, and `destroy`
/// has returned, unless `end` was called inside one of the two: then `destroy` returns immediately afterwards.
final class Registration: ThreadWork, @unchecked Sendable {
  private struct State {
    var ended = false
    /// Only the final call may still run.
    var muted = false
    var endedInside = false
    /// The threads that run the callback and `destroy`.
    var running: pthread_t?
    var releasing: pthread_t?
    /// `destroy` has returned or will never be called.
    var isOver = false

    var runsElsewhere: Bool { running != nil && !isHere(running) }

    func isHere(_ thread: pthread_t?) -> Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Owned by the caller; only passed to the caller's functions.
  nonisolated(unsafe) private let userData: UnsafeMutableRawPointer?
  private let destroy: jacquard_destroy_callback?
  private let groups: [RegistrationGroup]
  private let afterwards: @Sendable () -> Void
  private let state = ConditionLock(State())

  /// - Parameter afterwards: runs after `destroy`.
  init(
    _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?, in groups: RegistrationGroup...,
    afterwards: @escaping @Sendable () -> Void = {}
  ) {
    self.userData = userData
    self.destroy = destroy
    self.groups = groups
    self.afterwards = afterwards
  }

  /// Must be the last step of a function that registers a callback, because nothing may fail after it. It throws if an
  /// owner has ended, possibly at this moment on another thread. In that case `destroy` is not called, and the handle
  /// is released.
  func begin(with pointer: OpaquePointer? = nil) throws {
    for group in groups where !group.insert(self) {
      // The other owner has ended, and has ended this registration too, so the registration succeeded and has ended.
      guard withdraw() else { return }
      Handles.release(pointer)
      throw JacquardError(.closed, JacquardError.Code.closed.text)
    }
  }

  private func withdraw() -> Bool {
    let isFirst = state.withLock { state in
      guard !state.ended else { return false }
      (state.ended, state.isOver) = (true, true)
      return true
    }
    if isFirst { leaveGroups() }
    return isFirst
  }

  var hasEnded: Bool { state.withLock { $0.ended } }
  var isMuted: Bool { state.withLock { $0.ended || $0.muted } }

  func call(_ callback: (UnsafeMutableRawPointer?) -> Void) { call(callback, isLast: false) }

  /// Makes the final call, even after `mute`, and then ends.
  func finish(_ callback: (UnsafeMutableRawPointer?) -> Void) {
    mute()
    call(callback, isLast: true)
    end()
  }

  /// After it returns, only `finish` calls back. Like `end`, it waits for a call that runs on another thread.
  func mute() {
    state.withLock { $0.muted = true }
    state.withLock(when: { !$0.runsElsewhere }) { _ in }
  }

  private func call(_ callback: (UnsafeMutableRawPointer?) -> Void, isLast: Bool) {
    let may = state.withLock { state in
      guard !state.ended, !state.muted || isLast else { return false }
      state.running = pthread_self()
      return true
    }
    guard may else { return }
    perform { callback(userData) }
    hasCalled()
  }

  override func threadEnds() {
    if state.withLock({ $0.isHere($0.running) }) { hasCalled() } else { isReleased() }
  }

  private func hasCalled() {
    let mustRelease = state.announce { state in
      state.running = nil
      if state.endedInside { state.releasing = pthread_self() }
      return state.endedInside
    }
    if mustRelease { release() }
  }

  func end() {
    enum Next { case release, waitForOther, nothing }
    let next = state.withLock { state in
      let isFirst = !state.ended
      state.ended = true
      if state.isHere(state.running) {
        if isFirst { state.endedInside = true }
        return Next.nothing
      }
      if state.isHere(state.releasing) { return .nothing }
      return isFirst ? .release : .waitForOther
    }
    switch next {
    case .release:
      state.withLock(when: { !$0.runsElsewhere }) { $0.releasing = pthread_self() }
      release()
    case .waitForOther: state.withLock(when: { $0.isOver }) { _ in }
    case .nothing: break
    }
  }

  private func release() {
    if let destroy { perform { destroy(userData) } }
    isReleased()
  }

  private func isReleased() {
    // Must not happen earlier: an owner that ends at this moment must find this registration and wait.
    leaveGroups()
    afterwards()
    state.announce { state in
      state.releasing = nil
      state.isOver = true
    }
  }

  private func leaveGroups() {
    for group in groups { group.remove(self) }
  }
}

/// Registrations that end with their owner, in the order in which they began.
final class RegistrationGroup: Sendable {
  private struct Members {
    var numbers: [ObjectIdentifier: UInt64] = [:]
    var registrations: [UInt64: Registration] = [:]
    var count: UInt64 = 0

    var inOrder: [Registration] { registrations.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Nil after the owner has ended.
  private let members = Locked<Members?>(Members())

  /// Returns false if the owner has ended, possibly at this moment on another thread.
  func insert(_ registration: Registration) -> Bool {
    members.withLock { members in
      guard var present = members.take() else { return false }
      present.count += 1
      present.numbers[ObjectIdentifier(registration)] = present.count
      present.registrations[present.count] = registration
      members = present
      return true
    }
  }

  func remove(_ registration: Registration) {
    members.withLock { members in
      guard let number = members?.numbers.removeValue(forKey: ObjectIdentifier(registration)) else { return }
      members?.registrations[number] = nil
    }
  }

  /// Whether one of them may still make calls other than its final one.
  var isAnyOpen: Bool {
    let present = members.withLock { $0?.inOrder ?? [] }
    return present.contains { !$0.isMuted }
  }

  func endAll() {
    let last = members.withLock { members in
      defer { members = nil }
      return members?.inOrder ?? []
    }
    for registration in last { registration.end() }
  }
}
