import CJacquard

extension Program {
  func connect(to tag: Int, timeout: UInt32, waitForAdapter: Bool, owner: String? = nil) {
    open(tag, isBinding: false) { identifier, use, destroy, output in
      var options = jacquard_connect_options()
      options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
      (options.timeout_ms, options.wait_for_adapter) = (timeout, waitForAdapter ? 1 : 0)
      return withOptional(owner) {
        options.owner = $0
        return jacquard_manager_connect(manager, identifier, &options, Self.onState, use, destroy, output)
      }
    }
  }

  func bind(to tag: Int, code: String, timeout: UInt32, waitForAdapter: Bool, owner: String? = nil) {
    open(tag, isBinding: true) { identifier, use, destroy, output in
      var options = jacquard_bind_options()
      options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
      (options.timeout_ms, options.wait_for_adapter) = (timeout, waitForAdapter ? 1 : 0)
      return code.withCString { code in
        options.code = code
        return withOptional(owner) {
          options.owner = $0
          return jacquard_manager_bind(manager, identifier, &options, Self.onState, use, destroy, output)
        }
      }
    }
  }

  private func open(
    _ tag: Int, isBinding: Bool,
    _ begin: (
      UnsafePointer<CChar>, UnsafeMutableRawPointer?, @escaping jacquard_destroy_callback,
      UnsafeMutablePointer<OpaquePointer?>?
    ) -> CInt
  ) {
    let connection = ConnectionUse(life.nextNumber(), tag: tag, self, isBinding: isBinding)
    let promise = register(.state, of: connection) { userData, destroy, output in
      life.identifiers[tag].withCString { begin($0, userData, destroy, output) }
    }
    guard let promise else { return }
    connection.handle = promise.handle
    // Counts the references to the connection.
    (promise.handle, promise.references) = (nil, 0)
    connections.append(connection)
    life.connections.append(connection)
  }

  /// A connection that the library has created itself.
  func restored(_ handle: OpaquePointer, _ identifier: String) {
    let number = life.identifiers.firstIndex(of: identifier) ?? life.resolved.firstIndex(of: identifier)
    guard let tag = number, !connections.contains(where: { $0.handle == handle }) else { return }
    let connection = ConnectionUse(life.nextNumber(), tag: tag, self, isBinding: false)
    connection.handle = jacquard_connection_ref(handle)
    connection.isRestored = true
    let promise = register(.state, keeping: false, of: connection) { userData, destroy, output in
      jacquard_connection_on_state(handle, Self.onState, userData, destroy, output)
    }
    guard promise != nil else { return stage.fail("no states of a connection that was restored") }
    connections.append(connection)
    life.connections.append(connection)
  }

  private static var onState: jacquard_connection_callback {
    { state, userData in
      guard let promise = Promise.of(userData), let connection = promise.connection, let state else { return }
      promise.called(ConnectionUse.describe(state.pointee)) { connection.isNow(state.pointee) }
    }
  }

  func disconnect(_ connection: ConnectionUse) {
    let status = jacquard_connection_disconnect(connection.handle)
    stage.note("p\(number) disconnects \(connection.number): \(status)")
    if status != 0 { stage.fail("disconnect gave \(status)") }
    connection.isDisconnecting = true
  }

  func reference(_ connection: ConnectionUse) {
    connection.references += 1
    if jacquard_connection_ref(connection.handle) != connection.handle { stage.fail("another handle from ref") }
  }

  // MARK: Subscriptions

  static let subscriptions: [Promise.Kind] = [
    .gesture, .gesture, .touch, .gear, .battery, .name, .notification, .rawData, .rawValue, .anotherState,
  ]

  func subscribe(_ kind: Promise.Kind, to connection: ConnectionUse, keeping: Bool) {
    register(kind, keeping: keeping, of: connection) { userData, destroy, output in
      let handle = connection.handle
      if kind == .touch, let promise = Promise.of(userData) {
        promise.touches = TouchLedger(promise, life.samples[connection.tag])
      }
      switch kind {
      case .gesture:
        return jacquard_connection_on_gesture(
          handle,
          { gesture, userData in
            guard let promise = Promise.of(userData), let gesture = gesture?.pointee else { return }
            promise.called("\(gesture.type)") { promise.heard(gesture.type) }
          }, userData, destroy, output)
      case .touch:
        return jacquard_connection_on_touch(
          handle,
          { touch, userData in
            guard let promise = Promise.of(userData), let touch = touch?.pointee else { return }
            promise.called("\(touch.sequence)") { promise.touches?.take(touch) }
          }, userData, destroy, output)
      case .gear:
        return jacquard_connection_on_gear(
          handle,
          { gear, userData in
            guard let promise = Promise.of(userData), let component = gear.map(\.pointee.component) else { return }
            promise.called(component == nil ? "none" : "some") { promise.connection?.sits(in: component) }
          }, userData, destroy, output)
      case .battery:
        return jacquard_connection_on_battery(
          handle,
          { event, userData in Promise.of(userData)?.called("\(event?.pointee.battery.pointee.percent ?? 0)") },
          userData, destroy, output)
      case .name:
        return jacquard_connection_on_name(
          handle, { _, userData in Promise.of(userData)?.called("") }, userData, destroy, output)
      case .notification: return jacquard_connection_on_notification(handle, Self.onBytes, userData, destroy, output)
      case .rawData: return jacquard_connection_on_raw_data(handle, Self.onBytes, userData, destroy, output)
      case .rawValue: return jacquard_connection_on_raw_value(handle, Self.onBytes, userData, destroy, output)
      default:
        return jacquard_connection_on_state(
          handle,
          { state, userData in
            if let state { Promise.of(userData)?.called(ConnectionUse.describe(state.pointee)) }
          }, userData, destroy, output)
      }
    }
  }

  private static var onBytes: jacquard_bytes_callback {
    { bytes, userData in
      Promise.of(userData)?.called("\(bytes?.pointee.size ?? 0) bytes")
    }
  }
}

extension Promise {
  /// A gesture with a unique number. Each gesture is delivered once, in order. Only a copy for another program may be
  /// delivered again, and is then counted as doubtful.
  func heard(_ number: UInt32) {
    guard number > GestureLedger.lastOfStrokes else { return }
    if number < latest { program.stage.fail("gesture \(number) came to #\(self.number) after \(latest)") }
    if number == latest { checkThatItIsDoubtful() }
    latest = number
    heard.insert(number)
  }

  private func checkThatItIsDoubtful() {
    var counters = jacquard_counters()
    counters.struct_size = UInt32(MemoryLayout.size(ofValue: counters))
    jacquard_connection_get_counters(connection?.handle, &counters)
    // A copy for a program outside of this life is counted by the service, which may have ended since.
    let isCountedElsewhere = program.life.plan.shares && program.life.plan.hasOtherPrograms
    if counters.doubtful_values == 0, !isCountedElsewhere {
      program.stage.fail("gesture \(latest) came to #\(number) twice, without a doubt")
    }
  }
}

/// NULL for nil.
func withOptional<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
  guard let text else { return body(nil) }
  return text.withCString { body($0) }
}
