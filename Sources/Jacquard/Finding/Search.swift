import BlueZ
import EventLoop

/// Finds the device with an identifier: among the devices that BlueZ knows, otherwise by discovery.
///
/// Discovery continues until `end()`, which must be called after `Connect`: BlueZ may remove a device that is only
/// known from discovery when discovery stops. For a tag that has been away for long, discovery pauses, because it
/// occupies the radio.
final class Search {
  private let core: Core
  private let adapter: Adapter
  private let identifier: TagIdentifier
  private let awaySince: LoopInstant
  /// Whether a device without a bond must be received first: BlueZ's other information about it may be old.
  private let afresh: Bool
  /// The tag was not known, and has been discovered.
  private(set) var hasFound = false
  private var client: Discovery.Client?
  private var rounds: Task<Void, Never>?

  init(_ core: Core, _ adapter: Adapter, _ identifier: TagIdentifier, awaySince: LoopInstant, afresh: Bool = false) {
    self.core = core
    self.adapter = adapter
    self.identifier = identifier
    self.awaySince = awaySince
    self.afresh = afresh
  }

  func end() {
    rounds?.cancel()
    client?.end()
    client = nil
  }

  func device() async throws(JacquardError) -> Device {
    if let known = tag { return known }
    let found = Completion<Device, JacquardError>()
    let stopObserving = core.observeDevices(of: identifier) { [self] in
      do throws(JacquardError) {
        // The lock is that of the tag's identifier, so another one needs another attempt.
        guard core.knownTags.current(identifier) == identifier else { throw .deviceGone }
        try core.checkIsTag(identifier)
        if let tag { found.succeed(tag) }
      } catch {
        found.fail(error)
      }
    }
    // Discovery would wait until the adapter is powered on, but the connection decides whether to wait.
    let adapterObservation = core.monitor.checks.add { [self] in
      if let error = adapterLoss { found.fail(error) }
    }
    if let error = adapterLoss { found.fail(error) }
    rounds = core.loop.spawn { [weak self] in await self?.discover { found.fail($0) } }
    defer {
      stopObserving()
      adapterObservation.cancel()
      // Discovery continues if it is running.
      rounds?.cancel()
    }
    let device = try await found.value()
    hasFound = true
    return device
  }

  /// Windows begin at multiples of the cycle, the same for all searches.
  private func discover(refused: @escaping (JacquardError) -> Void) async {
    let deadlines = core.deadlines
    do throws(CancellationError) {
      while true {
        if let cycle {
          pause()
          let sinceLast = core.loop.now.nanoseconds % max(cycle.saturatingNanoseconds, 1)
          try await core.loop.sleep(cycle - .nanoseconds(sinceLast))
          begin(refused)
          try await core.loop.sleep(deadlines.searchWindow)
        } else {
          begin(refused)
          try await core.loop.sleep(deadlines.continuousDiscovery - away)
        }
      }
    } catch {}
  }

  /// The interval between the windows; nil while discovery is continuous. A device of which BlueZ lists only the rest
  /// of its services becomes a tag only after BlueZ has forgotten it. For that, discovery must pause.
  private var cycle: Duration? {
    let usual = core.deadlines.searchCycle(away: away)
    let isLeft = core.devices(of: identifier, maybe: true).contains { !$0.serviceUUIDs.isEmpty }
    return isLeft && core.devices(of: identifier).isEmpty ? max(usual ?? .zero, core.deadlines.forgettingCycle) : usual
  }

  /// The adapter was lost or powered off. `AdapterMonitor` reports later which of the two.
  private var adapterLoss: JacquardError? {
    guard adapter.isGone || !adapter.powered else { return nil }
    let status = core.monitor.status
    if let error = status.error { return error }
    guard core.monitor.adapter != nil else { return nil }
    return JacquardError(.noAdapter, "The adapter in use has changed.")
  }

  private var away: Duration { awaySince.duration(to: core.loop.now) }

  private func begin(_ refused: @escaping (JacquardError) -> Void) {
    guard client == nil else { return }
    client = core.discovery(on: adapter).join { refused(JacquardError($0, otherwise: .adapterRefused)) }
  }

  private func pause() {
    client?.end()
    client = nil
  }

  private var tag: Device? {
    core.devices(of: identifier).first {
      $0.adapterPath == adapter.path && !$0.isGone && (!afresh || $0.rssi != nil || $0.hasBond)
    }
  }
}
