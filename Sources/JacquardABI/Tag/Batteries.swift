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
    return try handle.manager.request(options, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.readBattery(deadline: $0)
    } _: { result, userData in
      switch result {
      case .success(let battery):
        var copy = jacquard_battery(battery)
        callback(&copy, nil, userData)
      case .failure(let error):
        withCError(error) { callback(nil, $0, userData) }
      }
    }
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
    return try handle.subscribe(
      userData, destroy, subscription, to: \.notifications.battery, latest: \.notifications.lastBattery
    ) { battery, userData in
      withUnsafePointer(to: jacquard_battery(battery)) {
        var event = jacquard_battery_event(connection: handle.handle, battery: $0)
        callback(&event, userData)
      }
    }
  }
}

extension jacquard_battery {
  fileprivate init(_ battery: Battery) {
    self.init(percent: battery.percent, charging: battery.charging ? 1 : 0)
  }
}
