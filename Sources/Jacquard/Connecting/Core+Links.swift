import BlueZ
import EventLoop
import JacquardWire

/// Establishes, monitors and drops the link to one device.
extension Core {
  /// A link that is already up is taken over if it is usable, otherwise dropped.
  func dropInherited(_ device: Device) async throws {
    guard device.connected else { return }
    guard await !isOfUse(device) else { return try Task.checkCancellation() }
    await drop(device)
    try Task.checkCancellation()
  }

  /// A link left by a crashed bluetoothd never resolves its services, and is dropped a second later. A link that
  /// another program has finished using is kept for two seconds and looks like any other, except that StartNotify is
  /// refused. Test it on the characteristic without unsolicited values, because no listener is set up yet.
  private func isOfUse(_ device: Device) async -> Bool {
    guard device.servicesResolved else { return false }
    guard let response = cache.characteristic(GATT.response, service: GATT.service, of: device) else { return true }
    do {
      try await response.startNotify(deadline: deadlines.enableNotifications(bonded: device.isBonded))
    } catch let error as BlueZError where error.kind == .notConnected {
      return false
    } catch {}
    return true
  }

  /// Returns when the link is up, which is shown by BlueZ's reply to `Connect` or by the property; either may be
  /// missing. But if `Connect` fails and the property is set, the link is about to end (bleak #1255).
  func bringUp(_ device: Device, deadline: Duration) async throws {
    if device.connected { return }
    let began = loop.now
    let up = Completion<Void>()
    var trail: LoopTimer?
    let observation = cache.changes.add { [loop, deadlines] _ in
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
      // BlueZ has given up waiting for an absent tag.
      guard began.duration(to: loop.now) < deadlines.linkUp else { throw error }
      throw await refusedBond(of: device, after: error) ?? error
    }
  }

  /// The tag has no key for the bond: `Connect` fails like any other. The end of the link is signalled afterwards, in
  /// BlueZ 5.83 and later with the reason.
  private func refusedBond(of device: Device, after error: any Error) async -> LinkLoss? {
    guard device.isBonded, (error as? BlueZError)?.kind == .failed, !Task.isCancelled else { return nil }
    try? await loop.withDeadline(deadlines.reasonTrail) { [cache] in
      try await cache.changes.until {
        try device.checkedPresent().disconnection != nil || device.link?.ended != nil ? () : nil
      }
    }
    guard device.disconnection.map(DisconnectReason.init(bluez:)) == .authentication else { return nil }
    return LinkLoss(error: JacquardError(describing: error, otherwise: .connectFailed), reason: .authentication)
  }

  /// Selects LE for the next attempt, if BlueZ allows it.
  private static func keepFromClassicRadio(_ device: Device) async {
    guard let bearer = device.preferredBearer, bearer != "le" else { return }
    try? await device.preferLowEnergy()
  }

  func servicesResolved(_ device: Device, within deadline: Duration) async throws {
    try await loop.withDeadline(deadline) { [cache] in
      try await cache.changes.until { try device.checkedPresent().servicesResolved ? () : nil }
    }
  }

  /// Returns when the Jacquard service is complete or cannot become complete: BlueZ reports "resolved" before it
  /// exports the objects, and also after an error, with part of the tree.
  func characteristicsExported(by device: Device) async throws {
    try? await loop.withDeadline(deadlines.gattTrail) { [cache] in
      try await cache.changes.until {
        GATT.jacquard.allSatisfy { cache.characteristic($0, service: GATT.service, of: device) != nil } ? () : nil
      }
    }
    try Task.checkCancellation()
  }

  /// Runs `body`. If the link is lost in the meantime, cancels it and throws the `LinkLoss`, unless a refused pairing
  /// ended the link.
  func whileLinked<Value>(_ device: Device, _ body: @escaping () async throws -> Value) async throws -> Value {
    let task = loop.spawn(returning: body)
    var loss: LinkLoss?
    func check() {
      guard loss == nil, let seen = LinkLoss(of: device, in: self) else { return }
      loss = seen
      task.cancel()
    }
    let observation = cache.changes.add { _ in check() }
    defer { observation.cancel() }
    check()
    let result: Value
    do {
      result = try await task.join()
    } catch let error as JacquardError where error.code == .pairingRefused {
      throw error
    } catch {
      throw loss ?? error
    }
    // The link may have been lost immediately after the last response.
    if let loss { throw loss }
    return result
  }

  /// Waits until the link is lost or its services are replaced; nil if the task was cancelled first.
  func loss(of device: Device, _ link: Link?) async -> LinkLoss? {
    try? await cache.changes.until {
      if let loss = LinkLoss(of: device, in: self) { return loss }
      return link?.isIntact == false ? .servicesChanged : nil
    }
  }

  /// Removes state of a tag that BlueZ does not repair itself: incompletely discovered services, or a bond that the tag
  /// has lost.
  func forget(_ device: Device) async {
    guard !device.isGone, let adapter = cache.adapters.first(where: { $0.path == device.adapterPath })
    else { return }
    try? await adapter.remove(device)
  }

  /// Called at the end of a connection, when its link is down: removes its sessions from bluetoothd. Not called for a
  /// lost link that will be re-established, which bluetoothd subscribes again itself.
  func endSubscriptions(to identifier: TagIdentifier) {
    for device in cache.devices where self.identifier(of: device) == identifier {
      for characteristic in cache.characteristics(of: device) { characteristic.stopNotifyWithoutWaiting() }
    }
  }

  /// Returns when the link is down, or if BlueZ fails to drop it.
  ///
  /// `Disconnect` for a link that is already lost would cancel the kernel's attempt to reconnect to a bonded device. If
  /// it coincides with the start of that link, `Connect` can hang (seen).
  func drop(_ device: Device) async {
    guard device.needsDisconnect else { return }
    try? await loop.withDeadline(deadlines.linkDown) { [cache] in
      try await device.disconnect()
      try await cache.changes.until { device.isGone || !device.connected ? () : nil }
    }
  }
}

extension Device {
  var needsDisconnect: Bool { !isGone && (connected || isConnecting) }
}

extension GATT {
  fileprivate static let jacquard = [command, response, notification, rawData]
}
