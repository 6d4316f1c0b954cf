import CJacquard
import Jacquard

@_cdecl("jacquard_tag_read_battery") @implementation
public func jacquard_tag_read_battery(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_battery_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let callback = try required(callback, "callback")
    try handle.request(options, userData, destroy, request) { tag, deadline in
      try await tag.readBattery(deadline: deadline)
    } _: { result, userData in
      switch result {
      case .success(let battery):
        var copy = jacquard_battery(battery)
        callback(&copy, nil, userData)
      case .failure(let error):
        withCError(error) { callback(nil, $0, userData) }
      }
    }
    return 0
  }
}

@_cdecl("jacquard_connection_on_battery") @implementation
public func jacquard_connection_on_battery(
  _ connection: OpaquePointer?, _ callback: jacquard_battery_event_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    try handle.manager.checkOpen()
    let registration = Registration(userData, destroy, in: handle.manager.registrations, handle.registrations)
    try handle.subscribe(registration, subscription) { connection in
      let deliver = { (battery: Battery) in
        var copy = jacquard_battery(battery)
        registration.call { callback(&copy, $0) }
      }
      let observation = connection.notifications.battery.add(deliver)
      if let last = connection.notifications.lastBattery { deliver(last) }
      return { observation.cancel() }
    }
    return 0
  }
}

extension jacquard_battery {
  fileprivate init(_ battery: Battery) {
    self.init(percent: battery.percent, charging: battery.charging ? 1 : 0)
  }
}
