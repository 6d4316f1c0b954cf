import CJacquard
import Jacquard

private let names = StaticCStrings(AdapterState.allCases.map { ($0.rawValue, $0.name) }, fallback: "invalid")

@_cdecl("jacquard_adapter_state_name") @implementation
public func jacquard_adapter_state_name(_ state: UInt32) -> UnsafePointer<CChar>? {
  names[state]
}

@_cdecl("jacquard_manager_on_adapter") @implementation
public func jacquard_manager_on_adapter(
  _ manager: OpaquePointer?, _ callback: jacquard_adapter_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    try handle.checkOpen()
    let registration = Registration(userData, destroy, in: handle.registrations)
    try handle.subscribe(registration, subscription) { [handle] manager in
      let deliver = { (status: AdapterStatus) in
        withC(status, handle.handle) { copy in registration.call { callback(copy, $0) } }
      }
      let observation = manager.adapterChanges.add(deliver)
      deliver(manager.adapterStatus)
      return { observation.cancel() }
    }
    return 0
  }
}

private func withC(
  _ status: AdapterStatus, _ manager: OpaquePointer?, _ body: (UnsafePointer<jacquard_adapter>) -> Void
) {
  let strings = CStrings()
  withCError(status.error) { error in
    var copy = jacquard_adapter()
    copy.manager = manager
    copy.state = status.state.rawValue
    copy.address = strings(status.address)
    copy.name = strings(status.name)
    copy.error = error
    body(&copy)
  }
  withExtendedLifetime(strings) {}
}
