import CJacquard
import Glibc

extension Target {
  /// The public functions, in any order and with any arguments, on a manager without a bus and on one with a connected
  /// tag.
  static let calls = Target(name: "calls") { input in
    var caller = try Caller(Choices(input))
    while !caller.choices.isEmpty { caller.call() }
    caller.end()
  }
}

/// A caller that confuses its handles.
private struct Caller {
  var choices: Choices
  private var handles: [OpaquePointer?] = [nil, OpaquePointer(bitPattern: 1), OpaquePointer(bitPattern: 0xfff7)]
  private var texts: [UnsafeMutablePointer<CChar>?] = [nil, strdup("ae7dc88c-1437-5d1e-a862-ce1037371c9a")]
  private let manager: OpaquePointer?
  private let connected: ConnectedTag

  init(_ choices: Choices) throws {
    self.choices = choices
    connected = try ConnectedTag.ready()
    var options = jacquard_manager_options()
    options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
    var made: OpaquePointer?
    let address = strdup("unix:abstract=missing")
    let directory = strdup("/proc/nonexistent")
    options.bus_address = UnsafePointer(address)
    options.state_directory = UnsafePointer(directory)
    require(jacquard_manager_new(&options, &made) == 0, "no manager")
    free(address)
    free(directory)
    manager = made
    handles.append(made)
    handles += connected.references()
  }

  mutating func end() {
    jacquard_manager_dispatch(manager)
    for handle in handles { Self.release(handle) }
    connected.turn()
    require(jacquard_manager_dispatch(manager) == JACQUARD_ERROR_INVALID_HANDLE.rawValue, "it lives on")
    for text in texts { free(text) }
  }

  private static func release(_ handle: OpaquePointer?) {
    jacquard_request_unref(handle)
    jacquard_subscription_unref(handle)
    jacquard_scan_unref(handle)
    jacquard_component_unref(handle)
    jacquard_tag_unref(handle)
    jacquard_connection_unref(handle)
    jacquard_manager_unref(handle)
  }

  // MARK: Arguments

  private var handle: OpaquePointer? {
    mutating get { choices.byte() > 100 ? manager : choices.pick(handles) }
  }

  private var connection: OpaquePointer? { mutating get { choices.pick(handles) } }

  /// Usually a handle of the right type.
  private mutating func mostly(_ meant: OpaquePointer?) -> OpaquePointer? {
    choices.byte() > 40 ? meant : choices.pick(handles)
  }

  private var tag: OpaquePointer? { mutating get { mostly(connected.tag) } }
  private var component: OpaquePointer? {
    mutating get { mostly(choices.byte() > 127 ? connected.gear ?? connected.component : connected.component) }
  }

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
    switch choices.index(below: 45) {
    case 0:
      var options = jacquard_scan_options()
      options.struct_size = sized(options)
      (options.timeout_ms, options.serial, options.minimum_rssi) = (choices.number(), text, choices.number())
      (options.every_report, options.wait_for_adapter) = (UInt32(choices.byte() & 3), UInt32(choices.byte() & 3))
      status = jacquard_manager_scan(handle, &options, { _, _ in }, { _, _ in }, nil, nil, &made)
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
      let level = UInt32(choices.byte() & 7)
      status = jacquard_manager_on_log(handle, level, { _, _ in }, nil, nil, &made)
    case 5: status = jacquard_manager_on_connection(handle, { _, _ in }, nil, nil, &made)
    case 6: status = jacquard_manager_list_known(handle, nil, { _, _, _, _ in }, nil, nil, &made)
    case 7: status = jacquard_manager_unbind(handle, text, nil, { _, _ in }, nil, nil, &made)
    case 8: status = jacquard_manager_update_known(handle, text, nil, 0, nil, { _, _ in }, nil, nil, &made)
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
    case 19: status = jacquard_tag_read_battery(tag, nil, { _, _, _ in }, nil, nil, &made)
    case 20: status = jacquard_tag_rename(tag, text, nil, { _, _ in }, nil, nil, &made)
    case 21: status = jacquard_manager_on_restore(handle, { _, _, _, _ in }, nil, nil, &made)
    case 22:
      Self.release(connection == manager ? nil : connection)
      status = 0
    case 23...28: status = command(&made)
    case 29...34: status = componentCommand(&made)
    case 35...38: status = observe(&made)
    case 39:
      var info: UnsafePointer<jacquard_tag_info>?
      status = jacquard_tag_get_info(tag, &info)
    case 40: status = jacquard_tag_get_component(tag, &made)
    case 41:
      var rssi: Int32 = 0
      status = jacquard_connection_get_rssi(mostly(connected.connection), &rssi)
    case 42, 43:
      connected.turn()
      status = 0
    default: status = jacquard_manager_dispatch(handle)
    }
    require(status == 0 || made == nil, "a handle in spite of status \(status)")
    if status < 0 { require(jacquard_last_error()?.pointee.code == status, "\(status) is not explained") }
    keep(made)
  }

  private mutating func command(_ made: inout OpaquePointer?) -> CInt {
    var options = jacquard_request_options()
    options.struct_size = sized(options)
    options.timeout_ms = choices.number()
    let done: jacquard_done_callback = { _, _ in }
    switch choices.index(below: 8) {
    case 0:
      var value = jacquard_value()
      value.struct_size = sized(value)
      value.type = UInt32(choices.byte() & 15)
      (value.number, value.integer, value.text) = (choices.number(), choices.number(), text)
      value.real = Double(bitPattern: choices.number())
      return jacquard_tag_write_value(tag, choices.number(), 0, text, &value, &options, done, nil, nil, &made)
    case 1: return jacquard_tag_read_value(tag, 0, 0, text, &options, { _, _, _ in }, nil, nil, &made)
    case 2: return jacquard_tag_read_configuration(tag, &options, { _, _, _ in }, nil, nil, &made)
    case 3:
      var configuration = jacquard_configuration()
      configuration.struct_size = sized(configuration)
      (configuration.fields, configuration.name) = (choices.number(), text)
      (configuration.tx_power, configuration.queue_depth) = (choices.number(), choices.number())
      configuration.fast_interval_ms = Float(bitPattern: choices.number())
      configuration.motion_sensitivity = choices.number()
      return jacquard_tag_write_configuration(tag, &configuration, &options, { _, _, _ in }, nil, nil, &made)
    case 4: return jacquard_tag_list_modules(tag, &options, { _, _, _, _ in }, nil, nil, &made)
    case 5:
      var module = jacquard_module()
      module.struct_size = sized(module)
      (module.vendor_id, module.product_id, module.name) = (choices.number(), choices.number(), text)
      module.module_id = choices.byte() > 127 ? choices.number() : 0x3d0b_e753
      let call = choices.pick([jacquard_tag_load_module, jacquard_tag_unload_module, jacquard_tag_delete_module])
      return call(tag, &module, &options, done, nil, nil, &made)
    case 6:
      let bytes = choices.bytes()
      return choices.byte() > 127
        ? jacquard_tag_send_request(tag, bytes, bytes.count, &options, { _, _, _ in }, nil, nil, &made)
        : jacquard_tag_send_raw_data(tag, bytes, bytes.count, &options, done, nil, nil, &made)
    default:
      let onlyOnMotion = UInt32(choices.byte() & 3)
      return jacquard_tag_request_disconnect(tag, choices.number(), onlyOnMotion, &options, done, nil, nil, &made)
    }
  }

  private mutating func componentCommand(_ made: inout OpaquePointer?) -> CInt {
    let done: jacquard_done_callback = { _, _ in }
    switch choices.index(below: 6) {
    case 0: return jacquard_component_read_info(component, nil, { _, _, _ in }, nil, nil, &made)
    case 1:
      let frames = (0..<choices.index(below: 80)).map { _ in
        jacquard_led_frame(
          red: choices.byte(), green: choices.byte(), blue: 0, reserved: choices.byte() & 1,
          duration_ms: choices.number())
      }
      var pattern = jacquard_led_pattern()
      pattern.struct_size = sized(pattern)
      pattern.type = UInt32(choices.byte() & 15)
      (pattern.duration_ms, pattern.intensity) = (choices.number(), UInt32(choices.byte()))
      (pattern.toggle, pattern.resumable, pattern.halt_all) = (
        UInt32(choices.byte() & 3), UInt32(choices.byte() & 3), UInt32(choices.byte() & 3)
      )
      let component = self.component
      return frames.withUnsafeBufferPointer { frames in
        (pattern.frames, pattern.frame_count) = (frames.baseAddress, frames.count)
        return jacquard_component_play_led(component, &pattern, nil, done, nil, nil, &made)
      }
    case 2:
      var haptic = jacquard_haptic()
      haptic.struct_size = sized(haptic)
      haptic.type = UInt32(choices.byte() & 15)
      (haptic.on_ms, haptic.off_ms) = (choices.number(), choices.number())
      (haptic.amplitude, haptic.repeats) = (UInt32(choices.byte()), choices.number())
      return jacquard_component_play_haptic(component, &haptic, nil, done, nil, nil, &made)
    case 3:
      let mode = UInt32(choices.byte() & 3)
      return jacquard_component_set_touch_mode(component, mode, nil, done, nil, nil, &made)
    default:
      var info: UnsafePointer<jacquard_component_info>?
      return jacquard_component_get_info(component, &info)
    }
  }

  private mutating func observe(_ made: inout OpaquePointer?) -> CInt {
    let connection = mostly(connected.connection)
    return switch choices.index(below: 8) {
    case 0: jacquard_connection_on_battery(connection, { _, _ in }, nil, nil, &made)
    case 1: jacquard_connection_on_name(connection, { _, _ in }, nil, nil, &made)
    case 2: jacquard_connection_on_raw_data(connection, { _, _ in }, nil, nil, &made)
    case 3: jacquard_connection_on_raw_value(connection, { _, _ in }, nil, nil, &made)
    case 4: jacquard_connection_on_gear(connection, { _, _ in }, nil, nil, &made)
    case 5: jacquard_connection_on_touch(connection, { _, _ in }, nil, nil, &made)
    case 6: jacquard_manager_on_connection(connected.manager, { _, _ in }, nil, nil, &made)
    default: jacquard_connection_on_state(connection, { _, _ in }, nil, nil, &made)
    }
  }
}
