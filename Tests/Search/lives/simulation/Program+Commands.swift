import CJacquard

extension Program {
  /// A random command to the tag of a connection, or to its gear.
  func command(_ connection: ConnectionUse, _ dice: inout Dice) {
    guard let tag = connection.tagHandle, let commands = connection.commands else { return }
    let keeping = dice.chance(60)
    var options = jacquard_request_options()
    options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
    options.timeout_ms = dice.chance(80) ? 0 : UInt32(dice.pick([1, 50, 500, 3000, 20_000]))
    let kind = dice.below(18)
    var dice = dice
    let limit = options.timeout_ms
    stage.note("  command \(kind) on connection \(connection.number), limit \(limit) ms")
    let command = register(.request, keeping: keeping, of: nil, commands) { userData, destroy, output in
      switch kind {
      case 0...3:
        return jacquard_tag_read_battery(
          tag, &options,
          { battery, error, userData in
            Promise.of(userData)?.called("\(battery?.pointee.percent ?? 0) \(Program.describe(error))")
          }, userData, destroy, output)
      case 4: return jacquard_tag_rename(tag, "Name \(dice.below(3))", &options, Self.onDone, userData, destroy, output)
      case 5:
        var value = jacquard_value()
        value.struct_size = UInt32(MemoryLayout.size(ofValue: value))
        (value.type, value.number) = (JACQUARD_VALUE_UINT32.rawValue, UInt64(dice.below(1000)))
        return jacquard_tag_write_value(tag, 0, 0, "key", &value, &options, Self.onDone, userData, destroy, output)
      case 6:
        return jacquard_tag_read_value(
          tag, 0, 0, "key", &options,
          { value, error, userData in
            Promise.of(userData)?.called("\(value?.pointee.number ?? 0) \(Program.describe(error))")
          }, userData, destroy, output)
      case 7:
        return jacquard_tag_read_configuration(tag, &options, Self.onConfiguration, userData, destroy, output)
      case 8:
        var configuration = jacquard_configuration()
        configuration.struct_size = UInt32(MemoryLayout.size(ofValue: configuration))
        configuration.fields = JACQUARD_CONFIGURATION_FIELD_QUEUE_DEPTH.rawValue
        configuration.queue_depth = UInt32(dice.number(2...14))
        return jacquard_tag_write_configuration(
          tag, &configuration, &options, Self.onConfiguration, userData, destroy, output)
      case 9:
        return jacquard_tag_list_modules(
          tag, &options,
          { _, count, error, userData in Promise.of(userData)?.called("\(count) \(Program.describe(error))") },
          userData,
          destroy, output)
      case 10:
        var module = jacquard_module()
        module.struct_size = UInt32(MemoryLayout.size(ofValue: module))
        (module.vendor_id, module.product_id, module.module_id) = (0x1178_30c8, 0x283b_e7a0, UInt32(dice.below(2)))
        switch dice.below(3) {
        case 0: return jacquard_tag_load_module(tag, &module, &options, Self.onDone, userData, destroy, output)
        case 1: return jacquard_tag_unload_module(tag, &module, &options, Self.onDone, userData, destroy, output)
        default: return jacquard_tag_delete_module(tag, &module, &options, Self.onDone, userData, destroy, output)
        }
      case 11:
        // Lists the modules, because that changes nothing; hello would restart the set-up.
        let request: [UInt8] = [0x08, 0x00, 0x10, 0x14]
        return jacquard_tag_send_request(
          tag, request, request.count, &options,
          { response, error, userData in
            Promise.of(userData)?.called("\(response?.pointee.size ?? 0) \(Program.describe(error))")
          }, userData, destroy, output)
      case 12:
        // A sequence number and a payload that do not occur in the protocol.
        return jacquard_tag_send_raw_data(tag, [1, 5], 2, &options, Self.onDone, userData, destroy, output)
      default: return gearCommand(kind, connection, tag, &options, &dice, userData, destroy, output)
      }
    }
    // The time limit of raw data is ignored.
    if connection.usesService, limit > 0, kind != 12 { command?.limit = .milliseconds(limit) }
  }

  /// Asks the gear for samples, or for gestures again, after it has subscribed to the gear and to touches.
  func setTouchMode(_ connection: ConnectionUse, _ dice: inout Dice) {
    let mode = dice.chance(80) ? JACQUARD_TOUCH_MODE_CONTINUOUS.rawValue : JACQUARD_TOUCH_MODE_GESTURE.rawValue
    for kind in [Promise.Kind.gear, .touch]
    where !promises.contains(where: { $0.kind == kind && $0.connection === connection && !$0.isEnded }) {
      subscribe(kind, to: connection, keeping: true)
    }
    guard let gear = connection.gear else { return }
    register(.request, keeping: false, of: nil, connection.commands) { userData, destroy, output in
      jacquard_component_set_touch_mode(gear, mode, nil, Self.onDone, userData, destroy, output)
    }
  }

  func readBattery(_ connection: ConnectionUse) -> Promise? {
    register(.request, keeping: false, of: nil, connection.commands) { userData, destroy, output in
      jacquard_tag_read_battery(
        connection.tagHandle, nil,
        { _, error, userData in
          guard let promise = Promise.of(userData) else { return }
          promise.called(Program.describe(error)) { promise.hasSucceeded = error == nil }
        }, userData, destroy, output)
    }
  }

  private func gearCommand(
    _ kind: Int, _ connection: ConnectionUse, _ tag: OpaquePointer, _ options: inout jacquard_request_options,
    _ dice: inout Dice, _ userData: UnsafeMutableRawPointer?, _ destroy: @escaping jacquard_destroy_callback,
    _ output: UnsafeMutablePointer<OpaquePointer?>?
  ) -> CInt {
    var own: OpaquePointer?
    jacquard_tag_get_component(tag, &own)
    defer { jacquard_component_unref(own) }
    let component = dice.chance(60) ? connection.gear ?? own : own
    switch kind {
    case 13:
      return jacquard_component_read_info(
        component, &options,
        { info, error, userData in
          Promise.of(userData)?.called("\(info?.pointee.id ?? 0) \(Program.describe(error))")
        }, userData, destroy, output)
    case 14, 15:
      var pattern = jacquard_led_pattern()
      pattern.struct_size = UInt32(MemoryLayout.size(ofValue: pattern))
      pattern.type = JACQUARD_LED_CUSTOM.rawValue
      let frames = (0..<dice.number(1...60)).map { _ in
        jacquard_led_frame(red: 1, green: 2, blue: 3, reserved: 0, duration_ms: 100)
      }
      pattern.frame_count = frames.count
      return frames.withUnsafeBufferPointer {
        pattern.frames = $0.baseAddress
        return jacquard_component_play_led(component, &pattern, &options, Self.onDone, userData, destroy, output)
      }
    case 16:
      var haptic = jacquard_haptic()
      haptic.struct_size = UInt32(MemoryLayout.size(ofValue: haptic))
      (haptic.type, haptic.on_ms, haptic.amplitude) = (JACQUARD_HAPTIC_CONSTANT.rawValue, 100, 50)
      return jacquard_component_play_haptic(component, &haptic, &options, Self.onDone, userData, destroy, output)
    default:
      let mode = dice.pick([JACQUARD_TOUCH_MODE_GESTURE, JACQUARD_TOUCH_MODE_GESTURE, JACQUARD_TOUCH_MODE_CONTINUOUS])
      return jacquard_component_set_touch_mode(
        component, mode.rawValue, &options, Self.onDone, userData, destroy, output)
    }
  }

  private static var onConfiguration: jacquard_configuration_callback {
    { configuration, error, userData in
      Promise.of(userData)?.called("\(configuration?.pointee.queue_depth ?? 0) \(Program.describe(error))")
    }
  }
}
