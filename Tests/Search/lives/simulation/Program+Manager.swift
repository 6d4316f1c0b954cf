import CJacquard
import Glibc
import Jacquard

extension Program {
  /// Registers for events of a manager.
  func watch(_ kind: Promise.Kind, keeping: Bool) {
    register(kind, keeping: keeping) { userData, destroy, output in
      switch kind {
      case .adapter:
        jacquard_manager_on_adapter(
          manager,
          { adapter, userData in
            guard let adapter = adapter?.pointee else { return }
            Promise.of(userData)?.called("\(adapter.state) \(Program.describe(adapter.error))")
          }, userData, destroy, output)
      case .connections:
        jacquard_manager_on_connection(
          manager,
          { state, userData in
            if let state { Promise.of(userData)?.called(ConnectionUse.describe(state.pointee)) }
          }, userData, destroy, output)
      case .restore:
        jacquard_manager_on_restore(
          manager,
          { restorations, count, _, userData in
            guard let promise = Promise.of(userData) else { return }
            promise.called("\(count)") {
              for restoration in UnsafeBufferPointer(start: restorations, count: count) {
                guard let restoration = restoration?.pointee, let connection = restoration.connection else { continue }
                promise.program.restored(connection, String(cString: restoration.identifier))
              }
            }
          }, userData, destroy, output)
      default:
        jacquard_manager_on_log(
          manager, JACQUARD_LOG_LEVEL_DEBUG.rawValue,
          { log, userData in
            guard let log = log?.pointee, let promise = Promise.of(userData) else { return }
            let isOfFile = strcmp(log.part, "state") == 0
            let message = isOfFile ? "of the state" : Program.withoutProcess(String(cString: log.message))
            promise.called("\(log.level) \(message)")
          }, userData, destroy, output)
      }
    }
  }

  func scan(timeout: UInt32, everyReport: Bool, waitForAdapter: Bool, keeping: Bool) {
    register(.scan, keeping: keeping) { userData, destroy, output in
      var options = jacquard_scan_options()
      options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
      options.timeout_ms = timeout
      (options.every_report, options.wait_for_adapter) = (everyReport ? 1 : 0, waitForAdapter ? 1 : 0)
      return jacquard_manager_scan(
        manager, &options,
        { found, userData in
          guard let found = found?.pointee else { return }
          Promise.of(userData)?.called("\(String(cString: found.serial)) \(found.rssi) \(found.connected)")
        },
        { result, userData in
          guard let result = result?.pointee else { return }
          Promise.of(userData)?.called("ends \(result.reason) \(Program.describe(result.error))", isLast: true)
        }, userData, destroy, output)
    }
  }

  func listKnown(keeping: Bool) {
    register(.known, keeping: keeping) { userData, destroy, output in
      jacquard_manager_list_known(
        manager, nil,
        { _, count, error, userData in Promise.of(userData)?.called("\(count) \(Program.describe(error))") }, userData,
        destroy, output)
    }
  }

  func updateKnown(_ tag: Int, keeping: Bool) {
    register(.known, keeping: keeping) { userData, destroy, output in
      jacquard_manager_update_known(manager, life.identifiers[tag], nil, 0, nil, Self.onDone, userData, destroy, output)
    }
  }

  /// - Parameter isResolved: whether to use the identifier that a scan reports if BlueZ has resolved the tag's address.
  func unbind(_ tag: Int, keeping: Bool, isResolved: Bool = false) {
    let identifier = isResolved ? life.resolved[tag] : life.identifiers[tag]
    for connection in connections where connection.tag == tag { connection.isDisconnecting = true }
    register(.known, keeping: keeping) { userData, destroy, output in
      jacquard_manager_unbind(manager, identifier, nil, Self.onDone, userData, destroy, output)
    }
  }

  /// Asks for a device other than a tag.
  func reachForNeighbour(_ number: Int, isUnbinding: Bool) {
    let identifier = TagIdentifier(address: stage.daemon.neighbourAddresses[number]).text
    if isUnbinding {
      register(.known, keeping: false) { userData, destroy, output in
        jacquard_manager_unbind(manager, identifier, nil, Self.onDone, userData, destroy, output)
      }
    } else {
      register(.anotherState, keeping: false) { userData, destroy, output in
        var options = jacquard_connect_options()
        options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
        (options.timeout_ms, options.wait_for_adapter) = (5000, 1)
        return jacquard_manager_connect(
          manager, identifier, &options,
          { state, userData in
            if let state { Promise.of(userData)?.called(ConnectionUse.describe(state.pointee)) }
          }, userData, destroy, output)
      }
    }
  }

  static var onDone: jacquard_done_callback {
    { error, userData in
      Promise.of(userData)?.called(Program.describe(error))
    }
  }

  func cancel(_ promise: Promise) {
    stage.note("p\(number) cancels #\(promise.number)")
    let status: CInt =
      switch promise.kind {
      case .request, .known, .motion, .download, .stream, .update: jacquard_request_cancel(promise.handle)
      default: jacquard_subscription_cancel(promise.handle)
      }
    if status != 0 { stage.fail("cancelling #\(promise.number) gave \(status)") }
    promise.ended()
  }

  func stop(_ scan: Promise) {
    stage.note("p\(number) stops #\(scan.number)")
    let status = jacquard_scan_stop(scan.handle)
    if status != 0 { stage.fail("stopping #\(scan.number) gave \(status)") }
    if jacquard_scan_is_running(scan.handle) != 0 { stage.fail("scan #\(scan.number) runs though it was stopped") }
  }

  /// Makes all calls that return their result immediately.
  func ask(_ connection: ConnectionUse?) {
    var answers = [jacquard_manager_is_scanning(manager)]
    if let connection {
      var rssi: Int32 = 0
      var counters = jacquard_counters()
      counters.struct_size = UInt32(MemoryLayout.size(ofValue: counters))
      answers += [
        jacquard_connection_get_phase(connection.handle),
        jacquard_connection_get_rssi(connection.handle, &rssi),
        jacquard_connection_get_counters(connection.handle, &counters), CInt(counters.links),
        CInt(counters.notifications), CInt(counters.dropped_fragments),
      ]
      if let tag = connection.tagHandle {
        var info: UnsafePointer<jacquard_tag_info>?
        answers.append(jacquard_tag_get_info(tag, &info))
        if let info { stage.note("  \(String(cString: info.pointee.serial))") }
      }
      if let gear = connection.gear {
        var info: UnsafePointer<jacquard_component_info>?
        answers.append(jacquard_component_get_info(gear, &info))
      }
    }
    stage.note("p\(number) asks: \(answers)")
    if answers.contains(where: {
      $0 < 0 && $0 != JACQUARD_ERROR_CLOSED.rawValue && $0 != JACQUARD_ERROR_STALE_TAG.rawValue
    }) {
      stage.fail("a question was answered with an error: \(answers)")
    }
  }
}
