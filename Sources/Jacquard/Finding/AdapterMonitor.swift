import BlueZ
import EventLoop

/// Selects the adapter and reports its state.
///
/// A restart of bluetoothd looks like a lost adapter, then like a powered-off one, then like a usable one again. After
/// the adapter was usable, the state is therefore `resetting` for a while before the observed state is reported.
final class AdapterMonitor {
  let changes = Observers<AdapterStatus>()
  /// Called after each check of the machine, even if the status has not changed.
  let checks = Observers<Void>()
  private(set) var status = AdapterStatus(state: .unknown)
  /// The adapter in use; only while powered on.
  private(set) var adapter: Adapter?

  private let cache: ObjectCache
  private let bluez: BlueZClient
  let wantedAddress: String?
  private let log: Log
  private var recovering = false
  private var isClosed = false
  private var waitTimer: LoopTimer?
  /// The address of the adapter in use, or of the last one: another adapter does not have its bonds.
  private var addressInUse: String?

  init(_ bluez: BlueZClient, wantedAddress: String?, log: Log) {
    self.bluez = bluez
    cache = bluez.cache
    self.wantedAddress = wantedAddress?.uppercased()
    self.log = log
    cache.changes.add { [weak self] change in
      if change.concernsAdapters { self?.refresh() }
    }
  }

  /// The adapter, as soon as it is known whether there is one that can be used now.
  func usableAdapter() async throws(JacquardError) -> Adapter {
    try await checks.until { [self] () throws(JacquardError) -> Adapter? in
      if case .starting = bluez.availability { return nil }
      switch status.state {
      case .unknown: return nil
      // Nil until it is known why it can no longer be used.
      case .poweredOn: return adapter
      // The error of the state says that the library waits.
      case .resetting:
        let code = status.error?.code ?? .bluezUnavailable
        throw JacquardError(code, code.text)
      default: throw status.error ?? JacquardError(.noAdapter, JacquardError.Code.noAdapter.text)
      }
    }
  }

  /// - Parameter skippingGracePeriods: whether the observed state is reported immediately.
  private func refresh(skippingGracePeriods: Bool = false) {
    if skippingGracePeriods {
      waitIsOver()
      addressInUse = nil
    }
    let seen = look()
    let usable = seen.status.state == .poweredOn
    adapter = usable ? seen.adapter : nil
    defer { checks.send(()) }
    // When the bus is back, the reported status stays until bluetoothd has replied.
    guard seen.status.state != .unknown || status.state == .unknown else { return }
    if usable {
      waitIsOver()
      addressInUse = seen.status.address.uppercased()
    } else if seen.status.state == .unauthorized {
      // Waiting does not change this state.
      waitIsOver()
    } else if status.state == .poweredOn, !skippingGracePeriods {
      if seen.adapter != nil { return confirmPowerOff() }
      waitIsOver()
      recovering = true
    } else if status.state == .unknown, !skippingGracePeriods, case .running = bluez.availability {
      if waitTimer == nil { judge(after: Deadlines.adapterStarts) }
      return
    }
    if recovering { awaitRecovery() }
    publish(recovering ? resetting(seen.status) : seen.status)
  }

  private func publish(_ new: AdapterStatus) {
    guard new != status, !isClosed else { return }
    status = new
    let name = new.address.isEmpty ? "" : " \(new.address)"
    log(.info, .bluez, "adapter\(name) \(new.state.name)\(new.error.map { ": \($0.message)" } ?? "")")
    changes.send(new)
  }

  /// Stops reporting, because the end of the client would look like a lost adapter.
  func close() {
    isClosed = true
    changes.removeAll()
  }

  private func waitIsOver() {
    recovering = false
    waitTimer?.cancel()
    waitTimer = nil
  }

  /// A bluetoothd that is stopped powers its adapters off first, and may take long to end. While it does not respond,
  /// nothing shows that it was the user who powered the adapter off.
  private func confirmPowerOff() {
    guard waitTimer == nil else { return }
    waitTimer = cache.loop.schedule(after: Deadlines.adapterOff) { [weak self] in
      guard let self else { return }
      cache.loop.spawn { [self, wait = waitTimer] in
        if await bluez.hasResponded(), waitTimer === wait { refresh(skippingGracePeriods: true) }
      }
    }
  }

  /// The grace period starts when bluetoothd is back; before that there is no state to report.
  private func awaitRecovery() {
    guard case .running = bluez.availability else {
      waitTimer?.cancel()
      waitTimer = nil
      return
    }
    if waitTimer == nil { judge(after: Deadlines.adapterReturn) }
  }

  private func judge(after wait: Duration) {
    waitTimer = cache.loop.schedule(after: wait) { [weak self] in self?.refresh(skippingGracePeriods: true) }
  }

  private func resetting(_ seen: AdapterStatus) -> AdapterStatus {
    if case .noService(let error) = bluez.availability, error.kind != .unavailable, error.kind != .deadline {
      return AdapterStatus(state: .resetting, error: refusal(error))
    }
    var error =
      switch bluez.availability {
      case .noBus: seen.error
      case .noService(let error) where error.kind == .deadline:
        JacquardError(.bluezUnavailable, "The Bluetooth service does not respond; the library waits for it.")
      case .running: JacquardError(.noAdapter, "The adapter was removed; the library waits for it to return.")
      default: JacquardError(.bluezUnavailable, "The Bluetooth service stopped; the library waits for it to return.")
      }
    error?.advice = JacquardError.adviceWhileHealing
    return AdapterStatus(state: .resetting, error: error)
  }

  /// bluetoothd is running, but replies to GetManagedObjects with an error.
  private func refusal(_ error: BlueZError) -> JacquardError {
    let text = [error.name, error.message].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    var refusal = JacquardError(
      .bluezUnavailable, "The Bluetooth service replied with an error; the library asks again: \(text)",
      advice: "If the error persists: systemctl restart bluetooth.")
    refusal.dbusName = error.name
    return refusal
  }

  private func look() -> (status: AdapterStatus, adapter: Adapter?) {
    switch bluez.availability {
    case .starting:
      return (AdapterStatus(state: .unknown), nil)
    case .noBus(let error):
      return (AdapterStatus(state: .unsupported, error: JacquardError(error)), nil)
    case .noService(let error):
      let isRefusal = error.kind != .unavailable && error.kind != .deadline
      let described = isRefusal ? refusal(error) : JacquardError(error, otherwise: .bluezUnavailable)
      return (AdapterStatus(state: .unsupported, error: described), nil)
    case .denied(let error):
      return (AdapterStatus(state: .unauthorized, error: JacquardError(error, otherwise: .permissionDenied)), nil)
    case .running:
      guard let chosen = choose() else {
        let text = wantedAddress.map { "Adapter \($0) was not found." } ?? "The machine has no Bluetooth adapter."
        return (AdapterStatus(state: .unsupported, error: JacquardError(.noAdapter, text)), nil)
      }
      var status = AdapterStatus(
        state: chosen.powered ? .poweredOn : .poweredOff, address: chosen.address, name: chosen.alias)
      if !chosen.powered { status.error = JacquardError(.poweredOff, "The adapter \(chosen.address) is powered off.") }
      return (status, chosen)
    }
  }

  /// The requested adapter or the one in use; otherwise the first powered one, or any.
  private func choose() -> Adapter? {
    let adapters = cache.adapters
    if let address = wantedAddress ?? addressInUse { return adapters.first { $0.address.uppercased() == address } }
    return adapters.first(where: \.powered) ?? adapters.first
  }
}
