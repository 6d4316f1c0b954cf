import CJacquard
import EventLoop
import Jacquard

/// The object behind a `jacquard_scan`.
final class ScanHandle: HandleObject {
  private let manager: ManagerHandle
  private let registration: Registration
  /// The library's reference to a scan of which the caller keeps none. It is released with the registration.
  private let ownReference: LatestHandle<ScanHandle>
  private let scan: LoopVariable<Scan?>
  private let issued = IssuedHandle()

  init(_ manager: ManagerHandle, _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?) {
    let ownReference = LatestHandle<ScanHandle>()
    self.manager = manager
    scan = LoopVariable(nil, of: manager.loop)
    self.ownReference = ownReference
    registration = Registration(userData, destroy, in: manager.scans, manager.registrations) { ownReference.end() }
  }

  var handle: OpaquePointer? { issued.pointer }
  var isRunning: Bool { !registration.isMuted }

  func stop() {
    registration.mute()
    manager.post { [self] _ in scan.value?.stop() }
  }

  func close() {
    guard !registration.hasEnded else { return }
    registration.end()
    manager.post { [self] _ in
      scan.value?.close()
      scan.value = nil
    }
  }
}

extension ScanHandle {
  fileprivate func register(for output: UnsafeMutablePointer<OpaquePointer?>?) throws {
    let pointer = output == nil ? ownReference.handle(for: self) { $0 } : Handles.add(self)
    guard let pointer else { throw Handles.tooMany }
    issued.set(pointer)
    do {
      try registration.begin(with: output == nil ? nil : pointer)
    } catch {
      ownReference.end()
      throw error
    }
    output?.pointee = pointer
  }

  fileprivate func start(
    _ options: Scan.Options, _ onFound: @escaping jacquard_advertisement_callback, _ onEnd: jacquard_scan_end_callback?
  ) {
    manager.post { [self] manager in
      guard !registration.hasEnded else { return }
      scan.value = manager.scan(options) { [self] found in
        withC(found, self.manager.handle) { copy in registration.call { onFound(handle, copy, $0) } }
      } onEnd: { [self] reason, error in
        withCError(error) { error in
          registration.finish { onEnd?(handle, jacquard_scan_end(reason.rawValue), error, $0) }
        }
        scan.value = nil
      }
    }
  }
}

@_cdecl("jacquard_manager_scan") @implementation
public func jacquard_manager_scan(
  _ manager: OpaquePointer?, _ options: UnsafePointer<jacquard_scan_options>?,
  _ onAdvertisement: jacquard_advertisement_callback?, _ onEnd: jacquard_scan_end_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ scan: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { manager in
    let onAdvertisement = try required(onAdvertisement, "on_advertisement")
    let chosen = try Arguments.options(options, \.struct_size).map(Scan.Options.init) ?? Scan.Options()
    try manager.checkOpen()
    let handle = ScanHandle(manager, userData, destroy)
    try handle.register(for: scan)
    handle.start(chosen, onAdvertisement, onEnd)
    return 0
  }
}

extension Scan.Options {
  fileprivate init(_ given: jacquard_scan_options) throws {
    self.init()
    timeout = given.timeout_ms == 0 ? nil : .milliseconds(Int64(given.timeout_ms))
    serial = try Arguments.string(given.serial, "serial")
    if given.minimum_rssi != 0 {
      guard (-127...20).contains(given.minimum_rssi) else {
        throw JacquardError.invalid("minimum_rssi is \(given.minimum_rssi); expected -127 to 20.")
      }
      minimumRSSI = Int16(given.minimum_rssi)
    }
    everyReport = try Arguments.flag(given.every_report, "every_report")
    waitForAdapter = try Arguments.flag(given.wait_for_adapter, "wait_for_adapter")
  }
}

private func withC(
  _ found: Advertisement, _ manager: OpaquePointer?, _ body: (UnsafePointer<jacquard_advertisement>) -> Void
) {
  var copy = jacquard_advertisement()
  copy.manager = manager
  copy.rssi = found.rssi.map(Int32.init) ?? JACQUARD_RSSI_UNKNOWN
  copy.bonded = found.bonded ? 1 : 0
  copy.connected = found.connected ? 1 : 0
  // Without copies: there may be thousands of advertisements per second.
  found.identifier.text.withCString { identifier in
    found.serial.withCString { serial in
      found.name.withCString { name in
        found.address.withCString { address in
          (copy.identifier, copy.serial, copy.name, copy.address) = (identifier, serial, name, address)
          body(&copy)
        }
      }
    }
  }
}

@_cdecl("jacquard_scan_ref") @implementation
public func jacquard_scan_ref(_ scan: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(scan, as: ScanHandle.self)
}

@_cdecl("jacquard_scan_unref") @implementation
public func jacquard_scan_unref(_ scan: OpaquePointer?) -> OpaquePointer? {
  Handles.release(scan, as: ScanHandle.self)
  return nil
}

@_cdecl("jacquard_scan_stop") @implementation
public func jacquard_scan_stop(_ scan: OpaquePointer?) -> CInt {
  on(scan, ScanHandle.self) {
    $0.stop()
    return 0
  }
}

@_cdecl("jacquard_scan_is_running") @implementation
public func jacquard_scan_is_running(_ scan: OpaquePointer?) -> CInt {
  on(scan, ScanHandle.self) { $0.isRunning ? 1 : 0 }
}

@_cdecl("jacquard_manager_is_scanning") @implementation
public func jacquard_manager_is_scanning(_ manager: OpaquePointer?) -> CInt {
  on(manager, ManagerHandle.self) { $0.scans.isAnyOpen ? 1 : 0 }
}
