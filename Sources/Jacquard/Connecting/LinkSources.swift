import EventLoop
import Sharing

/// The origin of a connection's links: this program, or the service. A connection has one at a time.
protocol LinkSource: AnyObject {
  /// Establishes a link, reports its states, and returns when it is over and a source has to be chosen again. Throws an
  /// error that ends the connection. If the task is cancelled, `close` ends the link.
  ///
  /// - Parameter admit: called before a new link is reported; its error ends the attempt.
  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError)

  /// Ends the link that the source has, with all that belongs to it. Returns when that is done.
  func close(_ end: LinkEnd) async

  /// Requests the end of the link at the end of the program, without waiting for it.
  func closeWithoutWaiting()

  /// Why the last link ended.
  var disconnectReason: DisconnectReason { get }
}

/// Why a link ends.
enum LinkEnd {
  /// It was lost, or could not be established.
  case failed(JacquardError)
  /// The service has the next link.
  case replaced
  /// The connection ends. The service may keep the link for a later one, unless the user or an error has ended it.
  case connectionEnds(keepsLink: Bool)

  var error: JacquardError {
    switch self {
    case .failed(let error): error
    case .replaced: .handedOver
    case .connectionEnds: JacquardError(.closed, "The connection was closed.")
    }
  }
}

/// Chooses the source of a connection's links before each attempt: the service when one accepts this program, otherwise
/// this program itself, until a service appears.
final class LinkSources {
  private let core: Core
  private let reports: TagReports
  private let direct: DirectSource
  private let entrance: ServiceEntrance
  private let waitsForAdapter: Bool
  /// The source that may have a link.
  private(set) var current: LinkSource
  /// CONNECTED was reached since a source was chosen.
  private var wasConnected = false
  private var lastHandOver: LoopInstant?

  /// - Parameter code: for a tag that is being bound.
  init(
    _ core: Core, _ identifier: TagIdentifier, _ reports: TagReports, _ code: TagCode?, waitsForAdapter: Bool
  ) {
    self.core = core
    self.reports = reports
    self.waitsForAdapter = waitsForAdapter
    direct = DirectSource(core, identifier, reports, waitsForAdapter: waitsForAdapter)
    entrance = ServiceEntrance(core, identifier, code)
    current = direct
    reports.states.add { [weak self] in if $0.phase == .connected { self?.wasConnected = true } }
  }

  /// Makes one attempt, and keeps its link until it is lost.
  ///
  /// - Parameter admit: called before a new link is reported; its error ends the attempt.
  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError) {
    // Without a bus the adapter's state says why, and whether that ends the connection.
    guard let bus = core.bluez.busID else { return _ = try await direct.usableAdapter() }
    let channel: ServiceChannel?
    do throws(JacquardError) {
      channel = try await entrance.enter(
        on: bus, isBound: reports.bond.isFulfilled, streaming: reports.gear.streaming)
    } catch {
      let isAwaited = waitsForAdapter || core.monitor.status.state == .resetting
      if reports.isFinal(error) || error.code == .noAdapter && !isAwaited { throw error }
      reports.attemptHasEnded()
      reports.report(ConnectionState(phase: .preparing, step: 0, reason: error))
      return await pause()
    }
    guard let channel else {
      current = direct
      return try await core.sharing.handsOver ? runDirect(admit) : direct.run(admit: admit)
    }
    if current === direct { await direct.close(.replaced) }
    let service = ServiceSource(core, reports, channel, entrance, waitsForAdapter: waitsForAdapter)
    current = service
    wasConnected = false
    try await service.run(admit: admit)
    // A service that ends again and again must not be asked, and perhaps started, without a pause.
    if !wasConnected { await pause() }
  }

  /// Ends early when a service appears. While another program has the tag, it lasts until that one releases it.
  private func pause() async {
    if reports.isTaken, await direct.awaitOtherProgram() { return }
    let isOver = Completion<Bool, CancellationError>()
    let appearance = core.serviceWatch.observe { isOver.succeed(true) }
    let usual = core.deadlines.retryPauses.after(attempt: Int(clamping: reports.attempt) - 1)
    let pause = max(usual, reports.shortestPause)
    let timer = core.loop.schedule(after: min(pause, entrance.patienceLeft ?? pause)) { isOver.succeed(false) }
    defer {
      core.serviceWatch.stopObserving(appearance)
      timer.cancel()
    }
    // A service has its socket a moment before it listens.
    if (try? await isOver.value()) ?? false { try? await core.loop.sleep(core.deadlines.retryPauses.usual[0]) }
  }

  // MARK: A service that appears

  /// Makes one attempt, and keeps its link until it is lost, or a service appears that accepts this program.
  private func runDirect(
    _ admit: @escaping (TagInfo) async throws(JacquardError) -> Void
  ) async throws(JacquardError) {
    let work = core.loop.spawn(returning: { [direct] () throws(JacquardError) in try await direct.run(admit: admit) })
    var isHandedOver = false
    let successor = core.loop.spawn { [self] in
      guard await awaitService() else { return }
      await direct.betweenCommands { [self] in
        guard !Task.isCancelled else { return }
        isHandedOver = true
        lastHandOver = core.loop.now
        work.cancel()
        _ = await work.result
        await direct.handOver()
      }
    }
    do throws(JacquardError) {
      try await work.join()
    } catch {
      guard isHandedOver, !Task.isCancelled else {
        successor.cancel()
        throw error
      }
    }
    if !isHandedOver { successor.cancel() }
    await successor.value
  }

  /// Returns false if the task was cancelled first. A service that ends and appears again and again does not interrupt
  /// the link more often than once a minute.
  private func awaitService() async -> Bool {
    var hasChanged = Completion<Void, CancellationError>()
    var bus = core.bluez.busID
    // A service that was on another bus than this program may accept it now.
    let change = core.monitor.checks.add { [core] _ in if core.bluez.busID != bus { hasChanged.succeed(()) } }
    let appearance = core.serviceWatch.observe { hasChanged.succeed(()) }
    defer {
      change.cancel()
      core.serviceWatch.stopObserving(appearance)
    }
    while !Task.isCancelled {
      (bus, hasChanged) = (core.bluez.busID, Completion())
      if let bus, await entrance.isAccepted(on: bus) { return !Task.isCancelled }
      guard (try? await hasChanged.value()) != nil else { return false }
      if let lastHandOver {
        let left = core.deadlines.handOvers - lastHandOver.duration(to: core.loop.now)
        guard (try? await core.loop.sleep(max(left, .zero))) != nil else { return false }
      }
    }
    return false
  }
}
