import BlueZ
import EventLoop
import JacquardWire

/// Making, watching and dropping the link to one device.
extension Core {
  /// A link that is up before anybody has asked for it here is taken over if it is worth anything, else dropped.
  func dropInherited(_ device: Device) async throws {
    guard device.connected else { return }
    guard await !isOfUse(device) else { return try Task.checkCancellation() }
    await drop(device)
    try Task.checkCancellation()
  }

  /// What a bluetoothd that died has left behind never resolves its services, and is dropped a second later. What another
  /// program is done with is held for two seconds and looks like any other link, but that StartNotify is refused: it is
  /// asked of the characteristic that says nothing by itself, for nobody listens yet.
  private func isOfUse(_ device: Device) async -> Bool {
    guard device.servicesResolved else { return false }
    guard let response = mirror.characteristic(GATT.response, service: GATT.service, of: device) else { return true }
    do {
      try await response.startNotify(deadline: deadlines.enableNotifications(bonded: device.isBonded))
    } catch let error as BlueZError where error.kind == .notConnected {
      return false
    } catch {}
    return true
  }

  /// Returns when the link is up. BlueZ's reply to `Connect` is one sign of it, the property is the other: either may
  /// be missing. But a property that a refusal goes with is a link that is about to go (bleak #1255).
  func bringUp(_ device: Device, deadline: Duration) async throws {
    if device.connected { return }
    let began = loop.now
    let up = Completion<Void>()
    var trail: LoopTimer?
    let observation = mirror.changes.add { [loop, deadlines] _ in
      if device.isGone { up.fail(BlueZError.gone) }
      guard device.connected, trail == nil else { return }
      trail = loop.schedule(after: deadlines.connectReplyTrail) {
        trail = nil
        if device.connected { up.succeed(()) }
      }
    }
    let call = loop.spawn {
      do {
        try await device.connect(deadline: deadline)
        up.succeed(())
      } catch {
        if (error as? BlueZError)?.isOfClassicRadio == true { await Self.keepFromClassicRadio(device) }
        up.fail(error)
      }
    }
    defer {
      observation.cancel()
      trail?.cancel()
      call.cancel()
    }
    do {
      try await up.value()
    } catch {
      // BlueZ has given up waiting for a tag that is away.
      guard began.duration(to: loop.now) < deadlines.linkUp else { throw error }
      throw await refusedBond(of: device, after: error) ?? error
    }
  }

  /// The tag has no key for the bond: `Connect` fails like any other. The end of the link is signalled after that, and in
  /// BlueZ 5.83 and later the reason with it.
  private func refusedBond(of device: Device, after error: any Error) async -> LinkLoss? {
    guard device.isBonded, (error as? BlueZError)?.kind == .failed, !Task.isCancelled else { return nil }
    try? await loop.withDeadline(deadlines.reasonTrail) { [mirror] in
      try await mirror.changes.until {
        try device.checkedPresent().disconnection != nil || device.link?.ended != nil ? () : nil
      }
    }
    guard device.disconnection.map(DisconnectReason.init(bluez:)) == .authentication else { return nil }
    return LinkLoss(error: JacquardError(describing: error, otherwise: .connectFailed), reason: .authentication)
  }

  /// For the next attempt, where BlueZ lets us choose.
  private static func keepFromClassicRadio(_ device: Device) async {
    guard let bearer = device.preferredBearer, bearer != "le" else { return }
    try? await device.preferLowEnergy()
  }

  func servicesResolved(_ device: Device, within deadline: Duration) async throws {
    try await loop.withDeadline(deadline) { [mirror] in
      try await mirror.changes.until { try device.checkedPresent().servicesResolved ? () : nil }
    }
  }

  /// Returns when the Jacquard service is complete, or is not going to be: BlueZ says "resolved" before it exports the
  /// objects, and also after an error, with part of the tree.
  func characteristicsExported(by device: Device) async throws {
    try? await loop.withDeadline(deadlines.gattTrail) { [mirror] in
      try await mirror.changes.until {
        GATT.jacquard.allSatisfy { mirror.characteristic($0, service: GATT.service, of: device) != nil } ? () : nil
      }
    }
    try Task.checkCancellation()
  }

  /// Runs `body`; when the link goes meanwhile, cancels it and throws the `LinkLoss`, unless it was a refused pairing that
  /// ended the link.
  func whileLinked<Value>(_ device: Device, _ body: @escaping () async throws -> Value) async throws -> Value {
    let task = loop.spawn(returning: body)
    var loss: LinkLoss?
    func check() {
      guard loss == nil, let seen = LinkLoss(of: device, in: self) else { return }
      loss = seen
      task.cancel()
    }
    let observation = mirror.changes.add { _ in check() }
    defer { observation.cancel() }
    check()
    let result: Value
    do {
      result = try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch let error as JacquardError where error.code == .pairingRefused {
      throw error
    } catch {
      throw loss ?? error
    }
    // The link may have gone right behind the last answer.
    if let loss { throw loss }
    return result
  }

  /// Waits for the link to go, or for its services to be exchanged for others; nil when the task was cancelled first.
  func loss(of device: Device, _ link: Link?) async -> LinkLoss? {
    try? await mirror.changes.until {
      if let loss = LinkLoss(of: device, in: self) { return loss }
      return link?.isIntact == false ? .servicesChanged : nil
    }
  }

  /// For what BlueZ knows of a tag and does not mend by itself: services that it has found in part, a bond that the tag has
  /// lost.
  func forget(_ device: Device) async {
    guard !device.isGone, let adapter = mirror.adapters.first(where: { $0.path == device.adapterPath })
    else { return }
    try? await adapter.remove(device)
  }

  /// For the end of a connection, when its link is down: nothing of it stays with bluetoothd. Not for a link that is lost
  /// and will be made again, which bluetoothd subscribes again by itself.
  func endSubscriptions(to identifier: TagIdentifier) {
    for device in mirror.devices where self.identifier(of: device) == identifier {
      for characteristic in mirror.characteristics(of: device) { characteristic.stopNotifyWithoutWaiting() }
    }
  }

  /// Returns when the link is down, or when BlueZ does not bring itself to it.
  ///
  /// `Disconnect` for a link that is lost already would cancel the kernel's own attempt to connect to a bonded device, and
  /// cross the start of that link: `Connect` was then seen to hang.
  func drop(_ device: Device) async {
    guard device.needsDisconnect else { return }
    try? await loop.withDeadline(deadlines.linkDown) { [mirror] in
      try await device.disconnect()
      try await mirror.changes.until { device.isGone || !device.connected ? () : nil }
    }
  }
}

extension Device {
  var needsDisconnect: Bool { !isGone && (connected || isConnecting) }
}

extension GATT {
  fileprivate static let jacquard = [command, response, notification, rawData]
}
