import DBus
import EventLoop

/// `org.bluez.Device1`: one tag on one adapter.
final class FakeDevice {
  private static let genericAccess = "00001800-0000-1000-8000-00805f9b34fb"

  private enum Link {
    case down
    /// Connect waits for the tag to advertise, and then for the link.
    case connecting(MethodCall?, timer: LoopTimer?, giveUp: LoopTimer?)
    /// Connect never gets a reply, whatever the tag does.
    case hanging(MethodCall?)
    case up
    /// Disconnect has been called, and the link stays up for a while.
    case closing([() -> Void])
  }

  let tag: SoftwareTag
  unowned let adapter: FakeAdapter
  let path: String
  let interface: ExportedInterface
  let object: ExportedObject
  private(set) var characteristics: [FakeCharacteristic] = []
  /// The maximum value length of the link, or of the next one.
  private(set) lazy var capacity = behaviour.capacity

  private var link = Link.down
  private var resolving: LoopTimer?
  private var services: [ExportedObject] = []
  private var firstHandle = 0x0a
  private var expiry: LoopTimer?
  private var lastSeen: Duration = .zero
  private var pairing: MethodCall?
  /// Exported until it has not advertised for a while; a connected or paired device stays.
  private var isTemporary = true
  private var afterConnecting: (() -> Void)?
  private var keysMissed = 0
  /// The tag ends the link as soon as it is encrypted.
  private var isDropped = false
  /// Values in the kernel's buffer for a bluetoothd that hangs.
  private var valuesKept = 0

  /// The kernel drops the values that its socket has no room for: 208 KiB by default, of which a short value takes 768
  /// bytes or more, depending on the controller's driver (from its source, not measured).
  func takeRoomForValue() -> Bool {
    valuesKept = daemon.isHanging ? valuesKept + 1 : 0
    guard valuesKept > 277 else { return true }
    daemon.valuesDropped += 1
    return false
  }

  private var daemon: FakeBlueZ { adapter.daemon }
  private var clock: SimulationClock { daemon.clock }
  private var behaviour: HostBehaviour { daemon.behaviour }

  init(tag: SoftwareTag, adapter: FakeAdapter, address: String) {
    self.tag = tag
    self.adapter = adapter
    path = adapter.path + "/dev_" + String(address.map { $0 == ":" ? "_" : $0 })
    interface = ExportedInterface(
      "org.bluez.Device1",
      [
        "Address": .string(address), "AddressType": "random", "Name": .string(tag.advertisedName),
        "Alias": .string(tag.advertisedName), "Paired": false, "Bonded": false, "Trusted": false, "Blocked": false,
        "LegacyPairing": false, "Connected": false, "ServicesResolved": false, "Adapter": .objectPath(adapter.path),
        "UUIDs": .strings([TagCharacteristic.serviceUUID]),
      ])
    object = ExportedObject(path, [interface])
    interface.methods = [
      "Connect": { [unowned self] in try connect($0) },
      "Disconnect": { [unowned self] in disconnect($0) },
      "Pair": { [unowned self] in try pair($0) },
      "CancelPairing": { [unowned self] in try cancelPairing($0) },
      "ConnectProfile": { _ in throw MethodFailure.notSupported },
      "DisconnectProfile": { _ in throw MethodFailure.notSupported },
    ]
    for name in ["Trusted", "Blocked"] {
      interface.setters[name] = { [unowned self] in
        guard case .boolean = $0 else { throw MethodFailure.invalidArguments }
        object.change(interface, [name: $0])
      }
    }
    interface.setters["Alias"] = { [unowned self] in
      guard case .string = $0 else { throw MethodFailure.invalidArguments }
      object.change(interface, ["Alias": $0])
    }
  }

  private func flag(_ name: String) -> Bool { interface[name]?.asBool == true }
  var isConnected: Bool { flag("Connected") }
  /// Disconnect has been called, and the link is still up.
  var isClosing: Bool { if case .closing = link { true } else { false } }
  var isKept: Bool { flag("Bonded") || flag("Trusted") }

  /// The tag has another address now, which is not resolved without a bond.
  var isOutdated: Bool {
    guard case .down = link, !flag("Bonded") else { return false }
    return interface["Address"] != .string(tag.advertisedAddress)
  }

  // MARK: - Advertising

  func sighted(rssi: Int16, duplicateData: Bool) {
    lastSeen = clock.now
    let data = Value.dictionary(
      key: "q", value: "v",
      [.init(.uint16(0x00e0), .variant(.bytes(SimulatedSerialNumber.pack(tag.profile.serial))))])
    let name = Value.string(tag.advertisedName)
    let isNew = adapter.daemon.server?[path] == nil
    object.change(
      interface, ["RSSI": .int16(rssi), "ManufacturerData": data, "Name": name, "Alias": name], silently: isNew)
    if isNew {
      daemon.server?.add(object)
      watchForExpiry()
    } else if duplicateData {
      object.emit(interface, ["ManufacturerData": data])
    }
  }

  func forgetSignalStrength() { object.change(interface, ["RSSI": nil]) }

  private func watchForExpiry() {
    expiry?.cancel()
    let left = behaviour.temporaryTimeout - (clock.now - lastSeen)
    expiry = clock.schedule(after: left) { [weak self] in
      guard let self, !self.isKept else { return }
      guard self.clock.now - self.lastSeen >= self.behaviour.temporaryTimeout else { return self.watchForExpiry() }
      switch self.link {
      case .down: self.vanish()
      case .hanging(let call):
        // BlueZ removes the device although a Connect is pending, and forgets the call: src/device.c,
        // device_disappeared() and device_free().
        if let call { self.daemon.unanswered.append(call) }
        self.vanish()
      case .connecting, .up, .closing: break
      }
    }
  }

  /// The tag starts or stops advertising; a pending Connect waits for it.
  func presenceChanged() {
    guard case .connecting(let call, let timer, let giveUp) = link else { return }
    if daemon.isHeard(tag), timer == nil {
      link = .connecting(call, timer: establish(), giveUp: giveUp)
    } else if !daemon.isHeard(tag), let timer {
      timer.cancel()
      link = .connecting(call, timer: nil, giveUp: giveUp)
    }
  }

  // MARK: - Connecting

  private func connect(_ call: MethodCall) throws {
    guard adapter.isPowered else { throw MethodFailure.failed("Input/output error") }
    switch link {
    case .connecting, .hanging: throw MethodFailure.failed("Operation already in progress")
    case .up, .closing: call.answer()
    case .down: begin(call)
    }
  }

  private func begin(_ call: MethodCall?) {
    expiry?.cancel()
    let fault = daemon.behaviour.takeConnectFault()
    isDropped = if case .drop = fault { true } else { false }
    switch fault {
    case .hang:
      link = .hanging(call)
      lastSeen = clock.now
      watchForExpiry()
    case .error(let text, _):
      let failing = clock.schedule(after: behaviour.connectTime) { [weak self] in self?.connectFailed(text) }
      link = .connecting(call, timer: failing, giveUp: nil)
    case .flap:
      let failing = clock.schedule(after: behaviour.connectTime) { [weak self] in self?.flap() }
      link = .connecting(call, timer: failing, giveUp: nil)
    case .drop, .none:
      let giveUp = clock.schedule(after: behaviour.giveUpConnecting) { [weak self] in
        self?.connectFailed("le-connection-abort-by-local")
      }
      link = .connecting(call, timer: daemon.isHeard(tag) ? establish() : nil, giveUp: giveUp)
    }
  }

  private func linkUp(encrypted: Bool) {
    capacity = behaviour.capacity
    tag.linkUp(capacity: capacity, encrypted: encrypted)
  }

  /// The link comes up briefly. The call fails when the link is up. With a bond it fails when the link ends, because
  /// encryption precedes the reply (seen on 5.66).
  private func flap() {
    guard case .connecting(let call, _, _) = link else { return }
    isTemporary = false
    link = .up
    daemon.attach(self)
    linkUp(encrypted: false)
    let fail = { call?.fail(.failed("le-connection-abort-by-local")) ?? () }
    if !flag("Bonded") { fail() }
    object.change(interface, ["Connected": true])
    clock.schedule(after: behaviour.flapLength) { [weak self] in
      guard let self else { return }
      if flag("Bonded"), isConnected { fail() }
      linkLost(.local)
    }
  }

  /// The link is encrypted as soon as it is up. The tag has no key, so this machine ends the link. Connect succeeds at
  /// that time, fails at that time, or fails first if the end takes long: see `Device.linkContradicts`. The reason is
  /// signalled after the reply, as seen on release 5.87.
  private func keyIsMissing() {
    guard case .connecting(let call, _, let giveUp) = link else { return }
    keysMissed += 1
    giveUp?.cancel()
    link = .up
    daemon.attach(self)
    linkUp(encrypted: false)
    object.change(interface, ["Connected": true])
    let (refused, ended) = behaviour.keyMissing
    let takesLong = ended > .milliseconds(100)
    clock.schedule(after: refused + min(ended, .milliseconds(100))) { [weak self] in
      guard let self, isConnected else { return }
      if takesLong {
        call?.fail(.failed("le-connection-abort-by-local"))
      } else {
        if keysMissed % 4 == 1 { call?.fail(.failed("br-connection-canceled")) } else { call?.answer() }
        linkLost(.authentication)
      }
    }
    guard takesLong else { return }
    clock.schedule(after: refused + ended) { [weak self] in self?.linkLost(.authentication) }
  }

  private func establish() -> LoopTimer {
    clock.schedule(after: behaviour.connectTime) { [weak self] in self?.established() }
  }

  private func established() {
    guard case .connecting(let call, _, let giveUp) = link else { return }
    guard daemon.isHeard(tag) else {
      link = .connecting(call, timer: nil, giveUp: giveUp)
      return
    }
    if flag("Bonded"), !tag.bonded { return keyIsMissing() }
    giveUp?.cancel()
    link = .up
    isTemporary = false
    daemon.attach(self)
    linkUp(encrypted: flag("Bonded"))
    let answers = !behaviour.connectUnanswered
    object.change(interface, ["Connected": true], silently: behaviour.silentConnected && call != nil && answers)
    if answers { call?.answer() } else if let call { daemon.unanswered.append(call) }
    if isDropped { return linkLost(.remote) }
    afterConnecting?()
    afterConnecting = nil
    resolving = clock.schedule(after: behaviour.resolveTime) { [weak self] in self?.resolved() }
  }

  private func connectFailed(_ text: String) {
    let waiting: MethodCall?
    switch link {
    case .connecting(let call, let timer, let giveUp):
      timer?.cancel()
      giveUp?.cancel()
      waiting = call
    case .hanging(let call): waiting = call
    default: return
    }
    link = .down
    afterConnecting = nil
    waiting?.fail(.failed(text))
    pairing?.fail(.authenticationFailed)
    pairing = nil
    guard !isKept else { return }
    // No client uses the device, so it is removed, even if it was connected before.
    clock.schedule(after: behaviour.removalAfterFailure) { [weak self] in
      guard let self, case .down = self.link, !self.isKept else { return }
      self.vanish()
    }
  }

  private func resolved() {
    guard case .up = link else { return }
    if daemon.behaviour.takeIncompleteResolution() { return resolvedInPart() }
    let isKnown = !characteristics.isEmpty
    if isKnown, tag.demandsEncryption, behaviour.subscribesFirst {
      if behaviour.release >= 87 { close {} }
      return
    }
    if !isKnown {
      withdrawServices()
      makeServices()
      if behaviour.resolvedFirst { object.change(interface, ["ServicesResolved": true]) }
      for service in services { daemon.server?.add(service) }
    }
    for characteristic in characteristics {
      characteristic.readCapacity()
      characteristic.restoreNotify()
    }
    if !isKnown || daemon.behaviour.release < 82 { readName() }
    object.change(interface, ["ServicesResolved": true])
  }

  /// "device_svc_resolved() err": reported as resolved, with an empty service.
  private func resolvedInPart() {
    if characteristics.isEmpty {
      makeServices()
      characteristics = []
      services.removeLast(services.count - 1)
      for service in services { daemon.server?.add(service) }
    }
    for characteristic in characteristics { characteristic.restoreNotify() }
    object.change(interface, ["ServicesResolved": true])
  }

  /// The tag has changed its services during a link: they are removed and exported again with other handles.
  func renumberServices() {
    guard case .up = link, !characteristics.isEmpty else { return }
    object.change(interface, ["ServicesResolved": false])
    withdrawServices()
    firstHandle = firstHandle == 0x0a ? 0x40 : 0x0a
    makeServices()
    for service in services { daemon.server?.add(service) }
    object.change(interface, ["ServicesResolved": true])
  }

  /// The connected tag has other services, until the next link.
  func removeServices() {
    guard case .up = link, !characteristics.isEmpty else { return }
    withdrawServices()
    object.change(interface, ["UUIDs": .strings([Self.genericAccess])])
  }

  /// bluetoothd reads the GAP name: 5.66 at each connect, 5.82 and 5.87 only during service discovery.
  private func readName() {
    let name = Value.string(tag.advertisedName)
    guard interface["Name"] != name else { return }
    object.change(interface, ["Name": name, "Alias": name])
  }

  private func makeServices() {
    object.change(interface, ["UUIDs": .strings([TagCharacteristic.serviceUUID])])
    let service = ExportedObject(
      path + "/service00" + hex([UInt8(firstHandle)]),
      [
        ExportedInterface(
          "org.bluez.GattService1",
          [
            "UUID": .string(TagCharacteristic.serviceUUID), "Device": .objectPath(path), "Primary": true,
            "Includes": .objectPaths([]),
          ])
      ])
    services = [service]
    for (index, kind) in TagCharacteristic.allCases.enumerated() {
      let characteristic = FakeCharacteristic(
        kind, handle: firstHandle + 1 + index * 3, service: service.path, device: self)
      characteristics.append(characteristic)
      services.append(characteristic.object)
      if let descriptor = characteristic.descriptor { services.append(descriptor) }
    }
  }

  // MARK: - Disconnecting

  private func disconnect(_ call: MethodCall) {
    close { call.answer() }
  }

  private func close(_ done: @escaping () -> Void) {
    switch link {
    case .down: done()
    case .connecting, .hanging:
      connectFailed("br-connection-canceled")
      done()
    case .closing(let others): link = .closing(others + [done])
    case .up:
      link = .closing([done])
      clock.schedule(after: behaviour.disconnectTime) { [weak self] in self?.closed() }
    }
  }

  private func closed() {
    guard case .closing(let waiting) = link else { return }
    link = .down
    resolving?.cancel()
    object.change(interface, ["ServicesResolved": false])
    endLink()
    for done in waiting { done() }
    say(.local)
    object.change(interface, ["Connected": false])
  }

  /// Signalled immediately before the property changes, in releases that report the reason.
  private func say(_ reason: FakeDisconnectReason) {
    guard behaviour.saysWhyDisconnected else { return }
    object.server?.signal(
      path, interface.name, "Disconnected", [.string(reason.rawValue), .string(reason.message)])
  }

  /// The tag was lost or disconnected, or something else has ended the link.
  func linkLost(_ reason: FakeDisconnectReason) {
    var waiting: [() -> Void] = []
    switch link {
    case .up: break
    case .closing(let callers): waiting = callers
    default: return
    }
    link = .down
    resolving?.cancel()
    endLink()
    say(reason)
    object.change(interface, ["ServicesResolved": false, "Connected": false])
    for done in waiting { done() }
  }

  private func endLink() {
    for characteristic in characteristics { characteristic.linkEnded() }
    pairing?.fail(.authenticationCanceled)
    pairing = nil
    // Keys that are not stored are lost with the link.
    object.change(interface, ["Paired": .boolean(flag("Bonded"))])
    lastSeen = clock.now
    // bluetoothd 5.66 removes a device without a bond about 30 s after its link.
    watchForExpiry()
    daemon.detach(self)
  }

  // MARK: - Pairing

  private func pair(_ call: MethodCall) throws {
    guard adapter.isPowered else { throw MethodFailure.notReady }
    guard !flag("Paired") else { throw MethodFailure.alreadyExists }
    guard pairing == nil else { throw MethodFailure.inProgress }
    guard daemon.agents.agent(for: call.caller) != nil else { throw MethodFailure.authenticationFailed }
    pairing = call
    switch link {
    case .up, .closing: exchangeKeys()
    case .connecting, .hanging: afterConnecting = { [weak self] in self?.exchangeKeys() }
    case .down:
      afterConnecting = { [weak self] in self?.exchangeKeys() }
      begin(nil)
    }
  }

  private func exchangeKeys() {
    clock.schedule(after: behaviour.pairTime) { [weak self] in
      guard let self, let call = self.pairing, case .up = self.link else { return }
      guard self.tag.profile.pairing != .refused else { return self.tagRefused(call) }
      self.clock.loop.spawn { [weak self] in if let self { await self.ask(call) } }
    }
  }

  /// The agent of the pairing client decides.
  private func ask(_ call: MethodCall) async {
    guard let agent = daemon.agents.agent(for: call.caller) else { return pairingFailed(call) }
    let device = Value.objectPath(path)
    let question: (String, [Value])? =
      switch behaviour.pairingQuestion {
      case .nothing: nil
      case .confirmation: ("RequestConfirmation", [device, .uint32(123456)])
      case .authorization: ("RequestAuthorization", [device])
      case .pin: ("RequestPinCode", [device])
      case .passkey: ("RequestPasskey", [device])
      }
    if let (method, arguments) = question {
      guard await daemon.ask(agent, method, arguments) else { return pairingFailed(call) }
    }
    guard pairing === call, case .up = link else { return }
    pairing = nil
    tag.linkEncrypted()
    let isBonded = tag.profile.pairing == .accepted
    if isBonded { object.change(interface, ["Address": .string(tag.profile.address)]) }
    object.change(interface, ["Paired": true, "Bonded": .boolean(isBonded)])
    call.answer()
  }

  private func pairingFailed(_ call: MethodCall) {
    guard pairing === call else { return }
    pairing = nil
    call.fail(.authenticationFailed)
  }

  /// A refusal ends the link, and the end may be signalled before the reply (seen on 5.66).
  private func tagRefused(_ call: MethodCall) {
    pairing = nil
    linkLost(.authentication)
    clock.schedule(after: .milliseconds(20)) { call.fail(.authenticationFailed) }
  }

  private func cancelPairing(_ call: MethodCall) throws {
    guard let pairing else { throw MethodFailure.doesNotExist }
    self.pairing = nil
    pairing.fail(.authenticationCanceled)
    call.answer()
  }

  // MARK: - Removal

  func adapterPoweredOff() {
    connectFailed("le-connection-abort-by-local")
    linkLost(.local)
    if !isKept { vanish() }
  }

  /// `RemoveDevice`: the link is closed first, which takes time.
  func remove(_ done: @escaping () -> Void) {
    close { [weak self] in
      self?.vanish()
      done()
    }
  }

  func dropLink() {
    connectFailed("le-connection-abort-by-local")
    linkLost(.local)
  }

  /// The daemon ends properly: the link is dropped, the objects are removed.
  func tearDown() {
    dropLink()
    vanish()
  }

  func vanish() {
    expiry?.cancel()
    withdrawServices()
    daemon.server?.remove(object)
    adapter.forget(self)
  }

  private func withdrawServices() {
    for service in services.reversed() { daemon.server?.remove(service) }
    services = []
    characteristics = []
  }

  // MARK: - State that outlives the daemon

  /// The data about the device that remains in the daemon's storage and the kernel after a restart.
  struct Remains {
    var tag: SoftwareTag
    var isBonded: Bool
    var isTrusted: Bool
    var isLinked: Bool
  }

  func remains() -> Remains? {
    var isLinked = false
    if case .up = link { isLinked = true }
    guard isKept || !isTemporary else { return nil }
    return Remains(
      tag: tag, isBonded: flag("Bonded"), isTrusted: flag("Trusted"), isLinked: isLinked)
  }

  /// The daemon was killed; its timers must stop.
  func abandon() {
    if case .connecting(_, let timer, let giveUp) = link {
      timer?.cancel()
      giveUp?.cancel()
    }
    // The kernel already has the request and completes it.
    if case .closing = link { daemon.detach(self) }
    resolving?.cancel()
    expiry?.cancel()
    link = .down
  }

  /// Restored from storage. A link that outlived the daemon is shown as connected for a while, but is unusable.
  func restore(_ remains: Remains) {
    let isLinked = remains.isLinked && tag.isConnected
    object.change(
      interface,
      [
        "Paired": .boolean(remains.isBonded), "Bonded": .boolean(remains.isBonded),
        "Trusted": .boolean(remains.isTrusted), "Connected": .boolean(isLinked),
      ], silently: true)
    isTemporary = false
    daemon.server?.add(object)
    guard isLinked else { return }
    link = .up
    daemon.attach(self)
    clock.schedule(after: behaviour.inheritedLink) { [weak self] in self?.linkLost(.unknown) }
  }
}
