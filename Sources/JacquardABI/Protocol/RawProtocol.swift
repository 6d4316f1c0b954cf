import CJacquard
import EventLoop
import Jacquard
import JacquardWire

@_cdecl("jacquard_tag_send_request") @implementation
public func jacquard_tag_send_request(
  _ tag: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_response_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ output: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let callback = try required(callback, "callback")
    let request = try WireRequest(unnumbered: try Arguments.bytes(data, size))
    return try handle.manager.request(options, userData, destroy, output) { [tag = handle.tag] in
      try await tag.value.exchange(request, deadline: $0)
    } _: { result, userData in
      switch result {
      case .success(let response):
        response.packet().withUnsafeBytes { bytes in withC(bytes, nil) { callback($0, nil, userData) } }
      case .failure(let error): withCError(error) { callback(nil, $0, userData) }
      }
    }
  }
}

extension WireRequest {
  /// - Parameter packet: a serialised request; its ID is ignored.
  fileprivate init(unnumbered packet: [UInt8]) throws {
    // The library chooses the ID, so the caller may omit it: the last ID in a packet takes effect.
    let numbered = packet + [0x18, 0x01]
    do {
      self = try numbered.withUnsafeBytes { try WireRequest(packet: $0) }
    } catch {
      throw JacquardError.invalid("The request cannot be decoded: \(error).")
    }
    guard !hasRepairedText(of: numbered) else {
      throw JacquardError.invalid("The request contains text that is not UTF-8.")
    }
  }
}

@_cdecl("jacquard_tag_send_raw_data") @implementation
public func jacquard_tag_send_raw_data(
  _ tag: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let packet = try Arguments.bytes(data, size)
    return try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] _ in
      try await tag.value.sendRaw(packet)
    }
  }
}

extension Arguments {
  /// Bytes that fit into one packet.
  static func bytes(_ data: UnsafePointer<UInt8>?, _ size: Int) throws -> [UInt8] {
    guard (1...FragmentFormat.longestPacket).contains(size) else {
      throw JacquardError.invalid("size is \(size); expected 1 to \(FragmentFormat.longestPacket).")
    }
    return Array(UnsafeBufferPointer(start: try required(data, "data"), count: size))
  }
}

@_cdecl("jacquard_connection_on_notification") @implementation
public func jacquard_connection_on_notification(
  _ connection: OpaquePointer?, _ callback: jacquard_bytes_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  subscribe(connection, callback, userData, destroy, subscription, to: \.notifications.packets, bytes: \.bytes)
}

@_cdecl("jacquard_connection_on_raw_data") @implementation
public func jacquard_connection_on_raw_data(
  _ connection: OpaquePointer?, _ callback: jacquard_bytes_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  subscribe(connection, callback, userData, destroy, subscription, to: \.notifications.raw.packets, bytes: \.self)
}

@_cdecl("jacquard_connection_on_raw_value") @implementation
public func jacquard_connection_on_raw_value(
  _ connection: OpaquePointer?, _ callback: jacquard_bytes_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  subscribe(connection, callback, userData, destroy, subscription, to: \.notifications.raw.values, bytes: \.bytes)
}

private func subscribe<Event>(
  _ connection: OpaquePointer?, _ callback: jacquard_bytes_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?,
  to observers: @escaping @Sendable (Connection) -> Observers<Event>,
  bytes: @escaping @Sendable (Event) -> UnsafeRawBufferPointer
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.subscribe(userData, destroy, subscription, to: observers) { event, userData in
      withC(bytes(event), handle.handle) { callback($0, userData) }
    }
  }
}

private func withC(
  _ bytes: UnsafeRawBufferPointer, _ connection: OpaquePointer?, _ body: (UnsafePointer<jacquard_bytes>) -> Void
) {
  var copy = jacquard_bytes(
    connection: connection, data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
  body(&copy)
}
