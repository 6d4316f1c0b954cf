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
      manager.scanning.value.check()
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
        withC(found, self.manager.handle, handle) { copy in registration.call { onFound(copy, $0) } }
      } onEnd: { [self] reason, error in
        withCError(error) { error in
          var result = jacquard_scan_result(
            manager: self.manager.handle, scan: handle, reason: reason.rawValue, reserved: 0, error: error)
          registration.finish { onEnd?(&result, $0) }
        }
        scan.value = nil
        self.manager.scanning.value.check()
      }
      self.manager.scanning.value.check()
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
    let chosen = try Arguments.options(options).map(Scan.Options.init) ?? Scan.Options()
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

extension jacquard_advertisement {
  /// Copies all fields except the strings.
  fileprivate init(_ found: Advertisement, _ manager: OpaquePointer?) {
    self.init()
    self.manager = manager
    rssi = found.rssi.map(Int32.init) ?? JACQUARD_RSSI_UNKNOWN
    bonded = found.bonded ? 1 : 0
    connected = found.connected ? 1 : 0
  }
}

private func withC(
  _ found: Advertisement, _ manager: OpaquePointer?, _ scan: OpaquePointer?,
  _ body: (UnsafePointer<jacquard_advertisement>) -> Void
) {
  var copy = jacquard_advertisement(found, manager)
  copy.scan = scan
  // Without copies: there may be thousands of advertisements per second.
  found.identifier.withCString { identifier in
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

@_cdecl("jacquard_manager_on_scanning") @implementation
public func jacquard_manager_on_scanning(
  _ manager: OpaquePointer?, _ callback: jacquard_scanning_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ subscription: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    try handle.checkOpen()
    let registration = Registration(userData, destroy, in: handle.registrations)
    try handle.subscribe(registration, subscription) { [handle] _ in
      let deliver = { (isScanning: Bool) in
        var copy = jacquard_scanning(manager: handle.handle, scanning: isScanning ? 1 : 0, reserved: 0)
        registration.call { callback(&copy, $0) }
      }
      let scanning = handle.scanning.value
      scanning.check()
      let observation = scanning.changes.add(deliver)
      deliver(scanning.isScanning)
      return { observation.cancel() }
    }
    return 0
  }
}

@_cdecl("jacquard_manager_list_connected") @implementation
public func jacquard_manager_list_connected(
  _ manager: OpaquePointer?, _ options: UnsafePointer<jacquard_list_connected_options>?,
  _ callback: jacquard_advertisements_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    try Arguments.check(options)
    return try handle.request(nil, userData, destroy, request) { [handle] _ in
      try await handle.manager.value.connectedTags()
    } _: { result, userData in
      switch result {
      case .success(let tags): withC(tags, handle.handle) { callback($0, tags.count, nil, userData) }
      case .failure(let error): withCError(error) { callback(nil, 0, $0, userData) }
      }
    }
  }
}

private func withC(
  _ tags: [Advertisement], _ manager: OpaquePointer?,
  _ body: (UnsafePointer<UnsafePointer<jacquard_advertisement>?>?) -> Void
) {
  let strings = CStrings()
  let copies = tags.map { tag in
    var copy = jacquard_advertisement(tag, manager)
    copy.identifier = strings(tag.identifier.text)
    copy.serial = strings(tag.serial)
    copy.name = strings(tag.name)
    copy.address = strings(tag.address.text)
    return copy
  }
  withPointers(to: copies, body)
  withExtendedLifetime(strings) {}
}

/// Whether any scan of a manager is running, as events. Used on the loop.
final class ScanningState {
  let changes = Observers<Bool>()
  private(set) var isScanning = false
  private let scans: RegistrationGroup

  init(of scans: RegistrationGroup) { self.scans = scans }

  /// Call when a scan may have begun or ended.
  func check() {
    guard scans.isAnyOpen != isScanning else { return }
    isScanning.toggle()
    changes.send(isScanning)
  }

  /// Called when the manager ends, because listeners may retain it.
  func end() { changes.removeAll() }
}
