import CJacquard
import EventLoop
import Jacquard

/// The object behind a `jacquard_subscription`.
final class SubscriptionHandle: HandleObject {
  private let registration: Registration
  private let detach: @Sendable () -> Void

  init(_ registration: Registration, detach: @escaping @Sendable () -> Void) {
    self.registration = registration
    self.detach = detach
  }

  func close() {
    registration.end()
    detach()
  }
}

extension ManagerHandle {
  /// All events are delivered to C through this function. It begins the registration; `attach` runs on the loop,
  /// delivers through the registration and returns a closure that detaches.
  func subscribe(
    _ registration: Registration, _ output: UnsafeMutablePointer<OpaquePointer?>?,
    _ attach: @escaping @Sendable (Manager) -> () -> Void
  ) throws {
    let detach = LoopVariable<(() -> Void)?>(nil, of: loop)
    let pointer = try output.map { _ in
      try Handles.issue(
        SubscriptionHandle(registration) { [self] in
          post { _ in
            detach.value?()
            detach.value = nil
          }
        })
    }
    try registration.begin(with: pointer)
    output?.pointee = pointer
    post { manager in
      guard !registration.hasEnded else { return }
      detach.value = attach(manager)
      // A callback that `attach` has called may have ended the subscription, and even the manager, whose loop then runs
      // no posted work.
      if registration.hasEnded {
        detach.value?()
        detach.value = nil
      }
    }
  }
}

@_cdecl("jacquard_subscription_ref") @implementation
public func jacquard_subscription_ref(_ subscription: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(subscription, as: SubscriptionHandle.self)
}

@_cdecl("jacquard_subscription_unref") @implementation
public func jacquard_subscription_unref(_ subscription: OpaquePointer?) -> OpaquePointer? {
  Handles.release(subscription, as: SubscriptionHandle.self)
  return nil
}

@_cdecl("jacquard_subscription_cancel") @implementation
public func jacquard_subscription_cancel(_ subscription: OpaquePointer?) -> CInt {
  on(subscription, SubscriptionHandle.self) {
    $0.close()
    return 0
  }
}
