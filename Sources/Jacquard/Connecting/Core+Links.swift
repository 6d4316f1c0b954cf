import BlueZ
import EventLoop
import JacquardWire

/// Establishes, monitors and drops the link to one device.
extension Core {
  /// Refreshes the devices of a tag, followed or not. Other devices are not even read.
  func refresh(_ identifier: TagIdentifier) async throws(JacquardError) {
    do throws(BlueZError) {
      for device in devices(of: identifier) { try await cache.refresh(device) }
    } catch {
      throw JacquardError(error, otherwise: .connectFailed)
    }
  }

  /// Returns when the link is up, which is shown by BlueZ's reply to `Connect` or by the property; either may be
  /// missing. But if `Connect` fails and the property is set, the link is about to end (bleak #1255).
  ///
  /// With a bond the link is usable only once it is encrypted, which takes several connection intervals. BlueZ replies
  /// then, and the reply may be evidence of a lost bond, so only resolved services replace it.
  func bringUp(_ device: Device, deadline: Duration) async throws(JacquardError) {
    if device.connected { return }
    let began = loop.now
    let up = Completion<Void, BlueZError>()
    var settleTimer: LoopTimer?
    let observation = device.changes.add { [loop, deadlines] _ in
      if device.isGone { up.fail(.gone) }
      if device.isBonded, device.servicesResolved { up.succeed(()) }
      guard device.connected, !device.isBonded, settleTimer == nil else { return }
      settleTimer = loop.schedule(after: deadlines.connectReplyDelay) {
        settleTimer = nil
        if device.connected { up.succeed(()) }
      }
    }
    // A bluetoothd that ends, or hangs, may never reply.
    let power = monitor.checks.add { [cache] in
      let hasPower = cache.adapters.contains { $0.path == device.adapterPath && $0.powered }
      if !hasPower { up.fail(BlueZError(.notConnected, "the adapter has lost its power")) }
    }
    let call = loop.spawn {
      do throws(BlueZError) {
        try await device.connect(deadline: deadline)
        up.succeed(())
      } catch {
        if error.isOfClassicRadio { await Self.keepFromClassicRadio(device) }
        up.fail(error)
      }
    }
    defer {
      observation.cancel()
      power.cancel()
      settleTimer?.cancel()
      call.cancel()
    }
    do throws(BlueZError) {
      try await up.value()
    } catch {
      // BlueZ has given up waiting for an absent tag.
      let isImmediate = began.duration(to: loop.now) < deadlines.linkUp
      let isRefusal = isImmediate ? await refusesBond(device, error) : false
      var error = JacquardError(error, otherwise: .connectFailed)
      if isRefusal { error.lossReason = .authentication }
      throw error
    }
  }

  /// Whether the tag has no key for the bond. `Connect` then fails with an ordinary error; the end of the link is
  /// signalled afterwards, with the reason in BlueZ 5.83 and later.
  private func refusesBond(_ device: Device, _ error: BlueZError) async -> Bool {
    guard device.isBonded, error.kind == .failed, !Task.isCancelled else { return false }
    _ = try? await device.changes.until(within: deadlines.reasonDelay, on: loop) {
      device.isGone || device.disconnection != nil || device.linkHasEnded ? true : nil
    }
    return device.disconnection.map(DisconnectReason.init(bluez:)) == .authentication
  }

  /// Selects LE for the next attempt, if BlueZ allows it.
  private static func keepFromClassicRadio(_ device: Device) async {
    guard let bearer = device.preferredBearer, bearer != "le" else { return }
    try? await device.preferLowEnergy()
  }

  /// Returns false if the services are not resolved within `deadline`.
  func servicesResolved(_ device: Device, within deadline: Duration) async throws(JacquardError) -> Bool {
    let areResolved = try await device.changes.until(within: deadline, on: loop) { () throws(JacquardError) in
      guard !device.isGone else { throw JacquardError(.gone, otherwise: .connectFailed) }
      return device.servicesResolved ? true : nil
    }
    return areResolved ?? false
  }

  /// Returns when the Jacquard service is complete or cannot become complete: BlueZ reports "resolved" before it
  /// exports the objects, and also after an error, with part of the tree.
  func characteristicsExported(by device: Device) async throws(JacquardError) {
    _ = try? await device.changes.until(within: deadlines.gattDelay, on: loop) { [cache] in
      GATT.jacquard.allSatisfy { cache.characteristic($0, service: GATT.service, of: device) != nil } ? true : nil
    }
    try JacquardError.checkCancellation()
  }

  /// Runs `body`. If the link is lost in the meantime, cancels it and throws the loss, unless a refused pairing ended
  /// the link.
  func whileLinked<Value>(
    _ device: Device, _ body: @escaping () async throws(JacquardError) -> Value
  ) async throws(JacquardError) -> Value {
    let task = loop.spawn(returning: body)
    var loss: LinkLoss?
    func check() {
      guard loss == nil, let seen = LinkLoss(of: device, in: self) else { return }
      loss = seen
      task.cancel()
    }
    let observation = device.changes.add { _ in check() }
    defer { observation.cancel() }
    check()
    let result: Value
    do throws(JacquardError) {
      result = try await task.join()
    } catch {
      guard let loss, error.code != .pairingRefused else { throw error }
      throw loss.thrown
    }
    // The link may have been lost immediately after the last response.
    if let loss { throw loss.thrown }
    return result
  }

  /// Waits until the link is lost or its services are replaced; nil if the task was cancelled first.
  func loss(of device: Device, _ link: DeviceLink) async -> LinkLoss? {
    let lost = Completion<LinkLoss, CancellationError>()
    func check() {
      let loss = LinkLoss(of: device, in: self) ?? link.health.loss ?? (link.isIntact ? nil : .servicesChanged)
      if let loss { lost.succeed(loss) }
    }
    let changes = device.changes.add { _ in check() }
    let health = link.health.changes.add { check() }
    defer {
      changes.cancel()
      health.cancel()
    }
    check()
    return try? await lost.value()
  }

  /// Removes state of a tag that BlueZ does not repair itself: incompletely discovered services, or a bond that the tag
  /// has lost.
  func forget(_ device: Device) async {
    guard !device.isGone, let adapter = cache.adapters.first(where: { $0.path == device.adapterPath })
    else { return }
    try? await adapter.remove(device)
  }

  /// Called at the end of a connection, when its link is down or left to another program: removes its sessions from
  /// bluetoothd. Not called for a lost link that will be re-established, which bluetoothd subscribes again itself.
  func endSubscriptions(to identifier: TagIdentifier) {
    for device in devices(of: identifier) {
      for characteristic in cache.characteristics(of: device) { characteristic.stopNotifyWithoutWaiting() }
    }
  }

  /// Returns when the link is down, or if BlueZ fails to drop it. Drops it even in a cancelled task and if the program
  /// ends; otherwise BlueZ would stay "connecting" and refuse the next attempt, or keep the link.
  ///
  /// `Disconnect` for a link that is already lost would cancel the kernel's attempt to reconnect to a bonded device. If
  /// it coincides with the start of that link, `Connect` can hang (seen).
  func drop(_ device: Device) async {
    devicesToDrop.append(device)
    await loop.spawn { [self] in
      defer { devicesToDrop.removeAll { $0 === device } }
      guard device.needsDisconnect else { return }
      try? await loop.withDeadline(deadlines.linkDown, expired: .cancelled) { [self] () throws(BlueZError) in
        devicesToDrop.removeAll { $0 === device }
        while true {
          do throws(BlueZError) {
            try await device.disconnect()
            break
          } catch {
            // The call was not sent; the link would stay up.
            let isAgain = error.kind == .exhausted
            guard isAgain, (try? await loop.sleep(deadlines.retryPauses.usual[0])) != nil else { throw error }
          }
        }
        try await device.changes.until { () throws(BlueZError) in device.isGone || !device.connected ? () : nil }
      }
    }.value
  }

  /// Drops all links at the end of the program.
  func dropWithoutWaiting() {
    for device in devicesToDrop where device.needsDisconnect { device.disconnectWithoutWaiting() }
    devicesToDrop = []
  }
}

extension Device {
  var needsDisconnect: Bool { !isGone && (connected || isConnecting) }
}

extension GATT {
  fileprivate static let jacquard = [command, response, notification, rawData]
}
