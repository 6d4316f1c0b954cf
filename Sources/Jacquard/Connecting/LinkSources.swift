import EventLoop

/// What gives a connection its links: this program, or the service. A connection has one at a time.
protocol LinkSource: AnyObject {
  /// Establishes a link, reports its states, and returns when it is over and a source has to be chosen again. Throws an
  /// error that ends the connection. If the task is cancelled, `close` ends the link.
  ///
  /// - Parameter admit: called before a new link is reported; its error ends the attempt.
  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError)

  /// The one place where a link ends, with all that belongs to it. Returns when that is done.
  func close(_ end: LinkEnd) async

  /// The same at the end of the program: asks for it without waiting.
  func closeWithoutWaiting()

  /// Why the last link ended.
  var disconnectReason: DisconnectReason { get }
}

/// Why a link ends.
enum LinkEnd {
  /// It was lost, or could not be established.
  case failed(JacquardError)
  /// The service has the next one.
  case replaced
  /// The connection ends. The service may keep the link for a later one, unless the user or an error has ended it.
  case connectionEnds(keepsLink: Bool)

  var error: JacquardError {
    switch self {
    case .failed(let error): error
    case .replaced, .connectionEnds: JacquardError(.closed, "The connection was closed.")
    }
  }
}

/// Chooses the source of a connection's links before each attempt: the service when one accepts this program, otherwise
/// this program itself.
final class LinkSources {
  private let core: Core
  private let identifier: TagIdentifier
  private let reports: TagReports
  private let direct: DirectSource
  private let entrance: ServiceEntrance
  private let waitsForAdapter: Bool
  /// The one that may have a link.
  private(set) var current: LinkSource
  private var attempt: UInt32 = 1

  /// - Parameter code: for a tag that is being bound.
  init(
    _ core: Core, _ identifier: TagIdentifier, _ reports: TagReports, _ code: TagCode?, waitsForAdapter: Bool
  ) {
    self.core = core
    self.identifier = identifier
    self.reports = reports
    self.waitsForAdapter = waitsForAdapter
    direct = DirectSource(core, identifier, reports, waitsForAdapter: waitsForAdapter)
    entrance = ServiceEntrance(core, identifier, code)
    current = direct
    reports.states.add { [weak self] in self?.attempt = $0.attempt }
  }

  /// One attempt, and its link until it is lost.
  ///
  /// - Parameter admit: called before a new link is reported; its error ends the attempt.
  func run(admit: @escaping (TagInfo) async throws(JacquardError) -> Void) async throws(JacquardError) {
    // Without a bus the adapter's state says why, and whether that ends the connection.
    guard let bus = core.bluez.busID else { return _ = try await direct.usableAdapter() }
    do throws(JacquardError) {
      let channel = try await entrance.enter(
        on: bus, isBound: reports.bond.isFulfilled, streaming: reports.gear.streaming)
      if let channel {
        if current === direct { await direct.close(.replaced) }
        current = ServiceSource(
          core, identifier, reports, channel, entrance, waitsForAdapter: waitsForAdapter)
      } else {
        current = direct
      }
    } catch {
      if error.isCancellation || error.code.endsConnections { throw error }
      return await pause(after: error)
    }
    try await current.run(admit: admit)
  }

  private func pause(after error: JacquardError) async {
    let number = attempt
    reports.states.send(ConnectionState(phase: .preparing, step: 0, attempt: number &+ 1, reason: error))
    try? await core.loop.sleep(core.deadlines.pause(afterAttempt: Int(number)))
  }
}
