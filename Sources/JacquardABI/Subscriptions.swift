import CJacquard
import Jacquard

/// A registration for events that may come many times.
final class SubscriptionHandle: HandleObject, @unchecked Sendable {
  private let registration: Registration
  private let detach: () -> Void

  init(_ registration: Registration, detach: @escaping () -> Void) {
    self.registration = registration
    self.detach = detach
  }

  func close() {
    registration.end()
    detach()
  }
}

extension ManagerHandle {
  /// The one way in which events reach C. Begins the registration; `attach` runs on the loop and returns how to detach;
  /// what it delivers goes through the registration.
  func subscribe(
    _ registration: Registration, _ output: UnsafeMutablePointer<OpaquePointer?>?,
    _ attach: @escaping (Manager) -> () -> Void
  ) throws {
    let attachment = Attachment()
    let ticket = try output.map { _ in
      try Handles.issue(SubscriptionHandle(registration) { [self] in post { _ in attachment.detach() } })
    }
    try registration.begin(with: ticket)
    output?.pointee = ticket
    post { manager in
      if !registration.hasEnded { attachment.detachment = attach(manager) }
    }
  }
}

/// Filled in and emptied on the loop.
private final class Attachment: @unchecked Sendable {
  var detachment: (() -> Void)?

  func detach() {
    detachment?()
    detachment = nil
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
