import CJacquard
import Jacquard

@_cdecl("jacquard_tag_rename") @implementation
public func jacquard_tag_rename(
  _ tag: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_done_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let name = try required(try Arguments.string(name, "name"), "name")
    try Tag.checkName(name)
    return try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.rename(name, deadline: $0)
    }
  }
}

@_cdecl("jacquard_tag_request_disconnect") @implementation
public func jacquard_tag_request_disconnect(
  _ tag: OpaquePointer?, _ delay: UInt32, _ onlyOnMotion: UInt32,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let onlyOnMotion = try Arguments.flag(onlyOnMotion, "only_on_motion")
    return try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.requestDisconnect(afterSeconds: delay, onlyOnMotion: onlyOnMotion, deadline: $0)
    }
  }
}

@_cdecl("jacquard_connection_on_name") @implementation
public func jacquard_connection_on_name(
  _ connection: OpaquePointer?, _ callback: jacquard_name_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(
      userData, destroy, subscription, to: \.name.changes, latest: { $0.name.name.isEmpty ? nil : $0.name.name }
    ) { name, userData in
      name.withCString { name in
        var copy = jacquard_name(connection: handle.handle, name: name)
        callback(&copy, userData)
      }
    }
  }
}

@_cdecl("jacquard_connection_get_rssi") @implementation
public func jacquard_connection_get_rssi(
  _ connection: OpaquePointer?, _ rssi: UnsafeMutablePointer<Int32>?
) -> CInt {
  on(connection, ConnectionHandle.self) {
    try required(rssi, "rssi").pointee = $0.statistics.counts.rssi.map(Int32.init) ?? JACQUARD_RSSI_UNKNOWN
    return 0
  }
}
