import EventLoop
import Glibc
import Sharing

/// Where a program asks the services for the link to a tag, or to remove its bonds.
final class ServiceEntrance {
  let identifier: TagIdentifier
  private let core: Core
  private let code: TagCode?
  /// Until then this connection waits for a service that has ended.
  private var patience: LoopInstant?
  /// The process of the service that was used last.
  private var process: Int32 = 0

  init(_ core: Core, _ identifier: TagIdentifier, _ code: TagCode?) {
    self.core = core
    self.identifier = identifier
    self.code = code
  }

  /// Called at the end of a channel: the service is expected to be started again.
  func serviceHasEnded() { patience = core.loop.now.advanced(by: core.deadlines.serviceReturn) }

  /// How much longer this connection waits for a service that has ended; nil if it does not.
  var patienceLeft: Duration? { patience.map { core.loop.now.duration(to: $0) }.flatMap { $0 > .zero ? $0 : nil } }

  private var isPatient: Bool { patienceLeft != nil }

  /// Nil if this program has to have the link itself.
  func enter(on bus: String, isBound: Bool, streaming: GearMonitor.Streaming?) async throws(JacquardError) -> Channel? {
    let purpose: LinkRequest.Purpose = core.sharing.isExclusive ? .release : .link
    if let channel = try await ask(request(purpose, bus, isBound, streaming)) {
      patience = nil
      return channel
    }
    if isPatient { throw .serviceEnded }
    return nil
  }

  /// Whether a service that has just appeared accepts this program, which has the link itself.
  func isAccepted(on bus: String) async -> Bool {
    for pause in core.deadlines.retryPauses {
      // It has its socket a moment before it listens.
      guard (try? await core.loop.sleep(pause)) != nil else { return false }
      do throws(JacquardError) {
        let channel = try await ask(request(.inquire, bus))
        channel?.close()
        return channel != nil
      } catch {
        guard error.code == .serviceUnavailable || error.code == .busUnavailable else { return false }
      }
    }
    return false
  }

  /// Has the service remove the bonds of the tag. Returns whether there were any; nil: there is no service.
  func unbind(on bus: String) async throws(JacquardError) -> Bool? {
    guard let channel = try await ask(request(.unbind, bus)) else { return nil }
    defer { channel.close() }
    let done = Completion<Bool, JacquardError>()
    let hangs = { [self] in _ = done.fail(.serviceHangs(process)) }
    channel.start(
      onMessage: {
        switch $0.kind {
        case .unbound: done.succeed($0.number() != 0)
        case .refused: done.fail($0.error(at: 1) ?? .serviceEnded)
        default: break
        }
      }, onEnd: { _ in done.fail(.serviceEnded) })
    let heartbeat = Heartbeat(channel, core.loop, isNeeded: { !done.isComplete }, onHang: hangs)
    heartbeat.start()
    let timer = core.loop.schedule(after: core.deadlines.removal, hangs)
    defer {
      heartbeat.stop()
      timer.cancel()
    }
    return try await done.value()
  }

  private func request(
    _ purpose: LinkRequest.Purpose, _ bus: String, _ isBound: Bool = false,
    _ streaming: GearMonitor.Streaming? = nil
  ) -> LinkRequest {
    LinkRequest(
      bus: bus, tag: identifier.text, adapter: core.monitor.wantedAddress ?? "", code: code?.text ?? "",
      isBound: isBound, purpose: purpose, streaming: streaming,
      hasSetMode: streaming?.process == JacquardError.ownProcess)
  }

  /// Nil if no service is responsible for this tag.
  private func ask(_ request: LinkRequest) async throws(JacquardError) -> Channel? {
    for place in core.sharing.places {
      switch try contact(place) {
      case .connected(let channel):
        if let welcome = try await ask(channel, request.message) { return welcome }
        if place.isRequired, request.purpose != .release { throw .noService(at: place.path) }
      case .full: throw .serviceHangs(process)
      case .refused where request.purpose == .inquire: throw .serviceRestarts
      case .refused where request.purpose == .link && !place.isRequired:
        if patience == nil { serviceHasEnded() }
        if isPatient { throw .serviceRestarts }
      case .absent, .refused:
        if place.isRequired, request.purpose != .release { throw .noService(at: place.path) }
      }
    }
    return nil
  }

  private func contact(_ place: ServicePlace) throws(JacquardError) -> ServiceSocket.Contact {
    do throws(SharingError) {
      return try ServiceSocket.connect(place, loop: core.loop)
    } catch {
      // Another user's service.
      guard place.isRequired else { return .absent }
      throw error.code == EACCES ? .noAccess(to: place.path) : JacquardError(error)
    }
  }

  /// Nil if the service is not responsible for this tag.
  private func ask(_ channel: Channel, _ hello: ServiceMessage) async throws(JacquardError) -> Channel? {
    let answer = Completion<Channel?, JacquardError>()
    channel.start(
      onMessage: { [self, unowned channel] message in
        switch (message.kind, ServiceRefusal(rawValue: message.number())) {
        case (.welcome, _) where message.number() == ServiceMessage.version:
          channel.pause()
          channel.serviceIs(Int32(bitPattern: message.number(1)))
          process = channel.peer.process
          answer.succeed(channel)
        case (.welcome, _):
          answer.fail(
            .versions(
              service: (message.number(), channel.peer.process),
              program: (ServiceMessage.version, JacquardError.ownProcess)))
        case (.refused, .otherBus), (.refused, .released): answer.succeed(nil)
        case (.refused, _): answer.fail(message.error(at: 1) ?? .serviceEnded)
        default: break
        }
      }, onEnd: { _ in answer.fail(.serviceEnded) })
    channel.send(hello)
    let timer = core.loop.schedule(after: core.deadlines.welcome) { [self, unowned channel] in
      // If this process was stopped itself, the service's message is waiting here.
      channel.receivePending()
      // The kernel may report the supervisor that has created the socket.
      answer.fail(.serviceHangs(process))
    }
    defer { timer.cancel() }
    do throws(JacquardError) {
      if let channel = try await answer.value() { return channel }
    } catch {
      channel.close()
      throw error
    }
    channel.close()
    return nil
  }
}
