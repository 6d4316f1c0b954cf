import EventLoop
import JacquardWire
import Sharing

/// A link that the service has. The service writes this program's packets, one at a time, and limits their time. A
/// packet that a responding service does not answer fails after `ServiceGrace`; others fail with the channel
/// (`Heartbeat`).
final class ServiceLink: Link {
  let commands: CommandQueue
  let rawChannel: RawChannel
  let facts: LinkFacts
  let life = LinkLife()
  private let requests: ServiceRequests

  init(
    _ core: Core, _ channel: ServiceChannel, _ heartbeat: Heartbeat, _ notifications: Notifications,
    _ reservation: TagReservation
  ) {
    let requests = ServiceRequests(core, channel, heartbeat, life)
    self.requests = requests
    rawChannel = RawChannel(notifications) { packet, _, completion in requests.writeRaw(packet, completion) }
    let sender = RequestSender(
      loop: core.loop, log: notifications.log, statistics: notifications.statistics,
      responseLimit: core.deadlines.request,
      grace: ServiceGrace(turns: core.deadlines.otherTurns, suspension: core.deadlines.suspension), life, requests,
      rawChannel)
    commands = CommandQueue(sender, core.loop, life)
    facts = LinkFacts(core, reservation)
    life.ends.add { [weak requests] in requests?.failAll($0) }
  }

  /// Whether the service has yet to answer a request or a raw packet.
  var isWaiting: Bool { !commands.requests.isFree || requests.hasRawPackets }

  var isIntact: Bool { true }
  var writesRequests: Bool { true }

  /// Handles the service's messages about this program's packets.
  func take(_ message: ServiceMessage) {
    switch message {
    case .written(let written): requests.complete(written.id, .success(()))
    case .response(let response):
      requests.complete(response.id, .success(()))
      commands.requests.receive(response.packet)
    case .failed(let failed):
      let error = failed.error.error ?? .serviceEnded.ofCommands
      if !requests.complete(failed.id, .failure(error)) { commands.requests.failed(failed.id, error) }
    default: break
    }
  }
}

/// The packets that the service has not written yet, as far as this program knows. Requests have the IDs of their
/// packets, raw packets have higher IDs.
private final class ServiceRequests: RequestWriter {
  private typealias Write = (Result<Void, JacquardError>) -> Void

  private static let firstRawID: UInt32 = 256

  private let core: Core
  private let channel: ServiceChannel
  private let heartbeat: Heartbeat
  private var writes: [UInt32: Write] = [:]
  private var lastRawID = firstRawID
  private let life: LinkLife

  init(_ core: Core, _ channel: ServiceChannel, _ heartbeat: Heartbeat, _ life: LinkLife) {
    self.core = core
    self.channel = channel
    self.heartbeat = heartbeat
    self.life = life
  }

  /// Only a caller's time limit depends on the time at which the tag has the packet. Otherwise the response shows it,
  /// so that the service need not wake this program twice.
  func write(
    _ request: WireRequest, _ limits: RequestLimits, overdue: @escaping () -> Void,
    completion: @escaping (Result<Void, JacquardError>) -> Void
  ) {
    send(request.id, completion) { id in
      request.packet().withUnsafeBytes {
        let response = UInt32(clamping: limits.response.saturatingNanoseconds / 1_000_000)
        _ = channel.send(
          .request(.init(id: id, reportsWriting: limits.caller != nil, responseLimit: response, packet: $0)))
      }
    }
  }

  func writeRaw(_ packet: [UInt8], _ completion: @escaping (Result<Void, JacquardError>) -> Void) {
    lastRawID = max(lastRawID &+ 1, Self.firstRawID)
    // The limit includes a write of the service to a bluetoothd that hangs, and the turns before it.
    let limit = core.deadlines.writeFragment + core.deadlines.suspension + core.deadlines.otherTurns
    let timer = core.loop.schedule(after: limit) { [weak self, id = lastRawID] in
      self?.complete(id, .failure(.serviceLate))
    }
    let ended: Write = {
      timer.cancel()
      completion($0)
    }
    send(lastRawID, ended) { id in
      packet.withUnsafeBytes { _ = channel.send(.rawRequest(.init(id: id, packet: $0))) }
    }
  }

  /// If the packet cannot be sent, the channel has ended; its end is about to be reported.
  private func send(_ id: UInt32, _ completion: @escaping Write, _ body: (UInt32) -> Void) {
    if let error = life.endedBy { return completion(.failure(error)) }
    writes[id] = completion
    body(id)
    heartbeat.start()
  }

  var hasRawPackets: Bool { writes.keys.contains { $0 > Self.firstRawID } }

  /// No one waits for the response any more. The service still reports the end of a request that it has not written.
  func abandon(_ id: UInt32) { channel.send(.withdraw(.init(id: id))) }

  /// Returns false if the write was completed before.
  @discardableResult
  func complete(_ id: UInt32, _ result: Result<Void, JacquardError>) -> Bool {
    guard let write = writes.removeValue(forKey: id) else { return false }
    write(result)
    return true
  }

  func failAll(_ error: JacquardError) {
    for id in writes.keys.sorted() { complete(id, .failure(error)) }
  }
}
