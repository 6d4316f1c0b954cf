import DBus
import EventLoop

/// `org.bluez.GattCharacteristic1` of one of the tag's characteristics.
final class FakeCharacteristic {
  let kind: TagCharacteristic
  unowned let device: FakeDevice
  let interface: ExportedInterface
  let object: ExportedObject
  let descriptor: ExportedObject?

  /// The unique bus names of the clients that have called StartNotify, kept beyond the end of the link.
  private var subscribers: [String] = []
  private var pendingWrite: MethodCall?
  private var unanswered: [MethodCall] = []
  private var notifyPipe: ValuePipe?
  private var writePipe: ValuePipe?

  private var daemon: FakeBlueZ { device.adapter.daemon }
  private var tag: SoftwareTag { device.tag }

  init(_ kind: TagCharacteristic, handle: Int, service: String, device: FakeDevice) {
    self.kind = kind
    self.device = device
    let flags = device.tag.flags(of: kind)
    var properties: PropertyMap = [
      "UUID": .string(kind.uuid), "Service": .objectPath(service),
      "MTU": .uint16(UInt16(clamping: device.capacity + 3)),
    ]
    if flags.contains("write-without-response") { properties["WriteAcquired"] = false }
    if kind.notifies {
      properties["Notifying"] = false
      properties["NotifyAcquired"] = false
    }
    properties["Flags"] = .strings(flags)
    interface = ExportedInterface("org.bluez.GattCharacteristic1", properties)
    object = ExportedObject(service + "/char" + Self.hexadecimal(handle), [interface])
    if kind.notifies {
      descriptor = ExportedObject(
        object.path + "/desc" + Self.hexadecimal(handle + 2),
        [
          ExportedInterface(
            "org.bluez.GattDescriptor1",
            ["UUID": "00002902-0000-1000-8000-00805f9b34fb", "Characteristic": .objectPath(object.path)])
        ])
    } else {
      descriptor = nil
    }
    interface.methods = [
      "ReadValue": { _ in throw MethodFailure.notPermitted("Read not permitted") },
      "WriteValue": { [unowned self] in try write($0) },
      "StartNotify": { [unowned self] in try startNotify($0) },
      "StopNotify": { [unowned self] in try stopNotify($0) },
      "AcquireNotify": { [unowned self] in try acquireNotify($0) },
      "AcquireWrite": { [unowned self] in try acquireWrite($0) },
    ]
  }

  private static func hexadecimal(_ handle: Int) -> String {
    hex([UInt8(handle >> 8 & 0xff), UInt8(handle & 0xff)]).filter { $0 != " " }
  }

  var hasSubscribers: Bool { !subscribers.isEmpty }

  private func hasFlag(_ flag: String) -> Bool { interface["Flags"]?.asStrings?.contains(flag) == true }

  // MARK: - Writing

  private func write(_ call: MethodCall) throws {
    guard call.arguments.count == 2, let value = call.arguments[0].asBytes, let options = call.arguments[1].asProperties
    else { throw MethodFailure.invalidArguments }
    guard device.isConnected, tag.isConnected else { throw MethodFailure.failed("Not connected") }
    guard pendingWrite == nil else { throw MethodFailure.inProgress }
    guard interface["WriteAcquired"]?.asBool != true else { throw MethodFailure.notPermitted("Write acquired") }
    let type: WriteType
    switch options["type"]?.asString {
    case "command": type = .command
    case "request", "reliable": type = .request
    case nil: type = hasFlag("write") ? .request : .command
    default: throw MethodFailure.invalidArguments
    }
    if type == .command {
      guard value.count <= device.capacity else { throw MethodFailure.failed("Failed to initiate write") }
      tag.write(value, to: kind, type: .command)
      return call.answer()
    }
    let error = tag.write(value, to: kind, type: .request)
    pendingWrite = call
    guard !daemon.behaviour.writeUnanswered else { return }
    daemon.clock.schedule(after: daemon.behaviour.writeTime) { [weak self] in
      guard let self, let call = self.pendingWrite else { return }
      self.pendingWrite = nil
      if let error { call.fail(.attribute(error)) } else { call.answer() }
    }
  }

  // MARK: - Notifications

  private func startNotify(_ call: MethodCall) throws {
    guard kind.notifies else { throw MethodFailure.notSupported }
    guard notifyPipe == nil else { throw MethodFailure.notPermitted("Notify acquired") }
    if device.isClosing { throw MethodFailure.notConnected }
    let isLinked = device.isConnected && tag.isConnected
    if subscribers.contains(call.caller) {
      guard isLinked, isNotifying else { throw MethodFailure.inProgress }
      return call.answer()
    }
    subscribers.append(call.caller)
    guard isLinked else { return call.answer() }
    guard !daemon.behaviour.takeIgnoredStartNotify() else { return call.answer() }
    guard !daemon.behaviour.takeFailedStartNotify() else {
      subscribers.removeAll { $0 == call.caller }
      throw MethodFailure.attribute(.unlikelyError)
    }
    if tag.demandsEncryption { return try refuseInPlain(call) }
    if !isNotifying { enable() }
    call.answer()
  }

  private var isNotifying: Bool { interface["Notifying"]?.asBool == true }

  /// bluetoothd tries to pair, but no agent allows it; 5.66 and 5.82 then wait for encryption until the link ends.
  private func refuseInPlain(_ call: MethodCall) throws {
    guard daemon.behaviour.securityUnanswered else {
      subscribers.removeAll { $0 == call.caller }
      throw MethodFailure.attribute(.insufficientAuthentication)
    }
    guard daemon.behaviour.release < 87 else {
      subscribers.removeAll { $0 == call.caller }
      throw MethodFailure.attribute(.unlikelyError)
    }
    unanswered.append(call)
  }

  private func stopNotify(_ call: MethodCall) throws {
    if let pipe = notifyPipe {
      pipe.close()
      return call.answer()
    }
    guard subscribers.contains(call.caller) else { throw MethodFailure.failed("No notify session started") }
    unsubscribe(call.caller)
    call.answer()
  }

  private func unsubscribe(_ name: String) {
    guard subscribers.contains(name) else { return }
    subscribers.removeAll { $0 == name }
    guard subscribers.isEmpty else { return }
    tag.setNotifying(false, on: kind)
    object.change(interface, ["Notifying": false])
  }

  private func enable() {
    guard !tag.demandsEncryption else { return }
    object.change(interface, ["Notifying": true])
    tag.setNotifying(true, on: kind)
  }

  /// Each link has its own MTU.
  func readCapacity() {
    let mtu = Value.uint16(UInt16(clamping: device.capacity + 3))
    if interface["MTU"] != mtu { object.change(interface, ["MTU": mtu]) }
  }

  /// The link is up again: bluetoothd writes the descriptor again for earlier subscribers.
  func restoreNotify() { if !subscribers.isEmpty { enable() } }

  /// Returns whether the client had a session.
  func clientGone(_ name: String) -> Bool {
    defer { unsubscribe(name) }
    return subscribers.contains(name)
  }

  /// The tag has sent a value: sends one signal for each subscriber, back to back; each signal reaches all clients.
  func notified(_ value: [UInt8]) {
    if let notifyPipe { return notifyPipe.send(value) }
    guard device.takeRoomForValue() else { return }
    guard !subscribers.isEmpty else { return }
    object.change(interface, ["Value": .bytes(value)], silently: true)
    for _ in subscribers { object.emit(interface, ["Value": .bytes(value)]) }
  }

  func linkEnded() {
    pendingWrite?.fail(.failed("Operation failed with ATT error: 0x0e"))
    pendingWrite = nil
    for call in unanswered { call.fail(.failed("Operation failed with ATT error: 0x0e")) }
    unanswered = []
    notifyPipe?.close()
    writePipe?.close()
  }

  // MARK: - Descriptors instead of signals

  private func acquireNotify(_ call: MethodCall) throws {
    guard kind.notifies else { throw MethodFailure.notSupported }
    guard device.isConnected, tag.isConnected else { throw MethodFailure.notConnected }
    guard notifyPipe == nil else { throw MethodFailure.notPermitted("Notify acquired") }
    guard subscribers.isEmpty else { throw MethodFailure.inProgress }
    notifyPipe = try pipe(call, property: "NotifyAcquired") { [weak self] in
      guard let self else { return }
      self.notifyPipe = nil
      self.tag.setNotifying(false, on: self.kind)
    }
    tag.setNotifying(true, on: kind)
  }

  private func acquireWrite(_ call: MethodCall) throws {
    guard hasFlag("write-without-response") else { throw MethodFailure.notSupported }
    guard device.isConnected, tag.isConnected else { throw MethodFailure.notConnected }
    guard writePipe == nil else { throw MethodFailure.notPermitted("Write acquired") }
    writePipe = try pipe(call, property: "WriteAcquired") { [weak self] in self?.writePipe = nil }
    writePipe?.received = { [weak self] value in
      guard let self else { return }
      self.tag.write(value, to: self.kind, type: .command)
    }
  }

  private func pipe(_ call: MethodCall, property: String, closed: @escaping () -> Void) throws -> ValuePipe {
    let (pipe, other) = try ValuePipe.pair(loop: daemon.clock.loop)
    pipe.closed = { [weak self] in
      closed()
      guard let self else { return }
      self.object.change(self.interface, [property: false])
    }
    object.change(interface, [property: true])
    call.answer(.descriptor(other), .uint16(UInt16(clamping: device.capacity + 3)))
    return pipe
  }
}
