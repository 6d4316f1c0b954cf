import CJacquard
import Glibc

extension Target {
  /// The public functions, in any order, with any arguments; the bus is not there.
  static let calls = Target(name: "calls") { input in
    var caller = Caller(Choices(input))
    while !caller.choices.isEmpty { caller.call() }
    caller.end()
  }
}

/// A caller that holds handles and confuses them.
private struct Caller {
  var choices: Choices
  private var handles: [OpaquePointer?] = [nil, OpaquePointer(bitPattern: 1), OpaquePointer(bitPattern: 0xfff7)]
  private var texts: [UnsafeMutablePointer<CChar>?] = [nil, strdup("ae7dc88c-1437-5d1e-a862-ce1037371c9a")]
  private let manager: OpaquePointer?

  init(_ choices: Choices) {
    self.choices = choices
    var options = jacquard_manager_options()
    options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
    var made: OpaquePointer?
    let address = strdup("unix:abstract=missing")
    let directory = strdup("/nonexistent")
    options.bus_address = UnsafePointer(address)
    options.state_directory = UnsafePointer(directory)
    require(jacquard_manager_new(&options, &made) == 0, "no manager")
    free(address)
    free(directory)
    manager = made
    handles.append(made)
  }

  mutating func end() {
    jacquard_manager_dispatch(manager)
    for handle in handles { Self.release(handle) }
    require(jacquard_manager_dispatch(manager) == JACQUARD_ERROR_INVALID_HANDLE.rawValue, "it lives on")
    for text in texts { free(text) }
  }

  private static func release(_ handle: OpaquePointer?) {
    jacquard_request_unref(handle)
    jacquard_subscription_unref(handle)
    jacquard_scan_unref(handle)
    jacquard_connection_unref(handle)
    jacquard_manager_unref(handle)
  }

  // MARK: Arguments

  private var handle: OpaquePointer? {
    mutating get { choices.byte() > 100 ? manager : choices.pick(handles) }
  }

  private var connection: OpaquePointer? { mutating get { choices.pick(handles) } }

  private var text: UnsafePointer<CChar>? {
    mutating get {
      if choices.byte() > 200 { texts.append(strdup(choices.text())) }
      return UnsafePointer(choices.byte() > 100 ? texts[1] : choices.pick(texts))
    }
  }

  private mutating func sized<Options>(_ options: Options) -> UInt32 {
    choices.byte() > 30
      ? UInt32(MemoryLayout<Options>.size) : UInt32(choices.byte()) % UInt32(MemoryLayout<Options>.size)
  }

  private mutating func keep(_ made: OpaquePointer?) {
    if made != nil { handles.append(made) }
  }

  // MARK: Calls

  mutating func call() {
    var made: OpaquePointer?
    let status: CInt
    switch choices.index(below: 24) {
    case 0:
      var options = jacquard_scan_options()
      options.struct_size = sized(options)
      (options.timeout_ms, options.serial, options.minimum_rssi) = (choices.number(), text, choices.number())
      (options.every_report, options.wait_for_adapter) = (UInt32(choices.byte() & 3), UInt32(choices.byte() & 3))
      status = jacquard_manager_scan(handle, &options, { _, _, _ in }, { _, _, _, _ in }, nil, nil, &made)
    case 1:
      var options = jacquard_connect_options()
      options.struct_size = sized(options)
      (options.timeout_ms, options.wait_for_adapter, options.owner) = (
        choices.number(), UInt32(choices.byte() & 3), text
      )
      status = jacquard_manager_connect(handle, text, &options, { _, _ in }, nil, nil, &made)
    case 2:
      var options = jacquard_bind_options()
      options.struct_size = sized(options)
      (options.timeout_ms, options.code, options.owner) = (choices.number(), text, text)
      var entry = jacquard_profile_entry(key: text, value: text)
      options.profile_count = Int(choices.byte() & 1)
      let (handle, text) = (self.handle, self.text)
      status = withUnsafePointer(to: &entry) { entry in
        options.profile = entry
        return jacquard_manager_bind(handle, text, &options, { _, _ in }, nil, nil, &made)
      }
    case 3: status = jacquard_manager_on_adapter(handle, { _, _ in }, nil, nil, &made)
    case 4:
      let level = jacquard_log_level(rawValue: UInt32(choices.byte() & 7))
      status = jacquard_manager_on_log(handle, level, { _, _ in }, nil, nil, &made)
    case 5: status = jacquard_manager_on_connection(handle, { _, _ in }, nil, nil, &made)
    case 6: status = jacquard_manager_list_known(handle, { _, _, _, _ in }, nil, nil, &made)
    case 7: status = jacquard_manager_unbind(handle, text, { _, _ in }, nil, nil, &made)
    case 8: status = jacquard_manager_update_known(handle, text, nil, 0, { _, _ in }, nil, nil, &made)
    case 9: status = jacquard_connection_on_gesture(connection, { _, _ in }, nil, nil, &made)
    case 10: status = jacquard_connection_on_touch(connection, { _, _ in }, nil, nil, &made)
    case 11: status = jacquard_connection_on_gear(connection, { _, _ in }, nil, nil, &made)
    case 12: status = jacquard_connection_on_state(connection, { _, _ in }, nil, nil, &made)
    case 13: status = jacquard_connection_on_notification(connection, { _, _ in }, nil, nil, &made)
    case 14: status = jacquard_connection_disconnect(connection)
    case 15: status = jacquard_scan_stop(connection)
    case 16: status = jacquard_subscription_cancel(connection)
    case 17: status = jacquard_request_cancel(connection)
    case 18:
      var counters = jacquard_counters()
      counters.struct_size = sized(counters)
      status = jacquard_connection_get_counters(connection, &counters)
    case 19: status = jacquard_tag_read_battery(connection, nil, { _, _, _ in }, nil, nil, &made)
    case 20: status = jacquard_tag_rename(connection, text, nil, { _, _ in }, nil, nil, &made)
    case 21: status = jacquard_manager_on_restore(handle, { _, _ in }, nil, nil, &made)
    case 22:
      Self.release(connection == manager ? nil : connection)
      status = 0
    default: status = jacquard_manager_dispatch(handle)
    }
    require(status == 0 || made == nil, "a handle in spite of status \(status)")
    if status < 0 { require(jacquard_last_error()?.pointee.code == status, "\(status) is not explained") }
    keep(made)
  }
}
