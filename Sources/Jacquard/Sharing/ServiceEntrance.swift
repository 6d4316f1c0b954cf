import EventLoop
import Glibc
import Sharing

/// Where a program asks the services for the link to a tag, or to remove its bonds.
final class ServiceEntrance {
  private let core: Core
  private let identifier: TagIdentifier
  private let code: TagCode?
  /// Until then this connection waits for the service that it has used.
  private var patience: LoopInstant?

  init(_ core: Core, _ identifier: TagIdentifier, _ code: TagCode?) {
    self.core = core
    self.identifier = identifier
    self.code = code
  }

  /// Called at the end of a channel: the service is expected to be started again.
  func serviceHasEnded() { patience = core.loop.now.advanced(by: core.deadlines.serviceReturn) }

  /// Nil if this program has to have the link itself.
  func enter(on bus: String, isBound: Bool, streaming: GearMonitor.Streaming?) async throws(JacquardError) -> Channel? {
    let purpose: LinkRequest.Purpose = core.sharing.isExclusive ? .release : .link
    if let channel = try await ask(request(purpose, bus, isBound, streaming)) { return channel }
    if let patience, core.loop.now < patience { throw .serviceEnded }
    patience = nil
    return nil
  }

  /// Has the service remove the bonds of the tag. Returns whether there were any; nil: there is no service.
  func unbind(on bus: String) async throws(JacquardError) -> Bool? {
    guard let channel = try await ask(request(.unbind, bus)) else { return nil }
    defer { channel.close() }
    let done = Completion<Bool, JacquardError>()
    channel.start(
      onMessage: {
        switch $0.kind {
        case .unbound: done.succeed($0.number() != 0)
        case .refused: done.fail($0.error(at: 1) ?? .serviceEnded)
        default: break
        }
      }, onEnd: { _ in done.fail(.serviceEnded) })
    let timer = core.loop.schedule(after: core.deadlines.serviceRequest) {
      done.fail(.serviceHangs(channel.peer.process))
    }
    defer { timer.cancel() }
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
      if let channel = try await ask(place, request.message) { return channel }
      if place.isRequired, request.purpose != .release { throw .noService(at: place.path) }
    }
    return nil
  }

  /// Nil if there is no service at this place, or it is not responsible for this tag.
  private func ask(_ place: ServicePlace, _ hello: ServiceMessage) async throws(JacquardError) -> Channel? {
    let found: ServiceSocket.Contact
    do throws(SharingError) {
      found = try ServiceSocket.connect(place, loop: core.loop)
    } catch {
      // Another user's service.
      guard place.isRequired else { return nil }
      throw error.code == EACCES ? .noAccess(to: place.path) : JacquardError(error)
    }
    guard case .connected(let channel) = found else { return nil }
    let answer = Completion<Channel?, JacquardError>()
    channel.start(
      onMessage: { [unowned channel] message in
        switch (message.kind, ServiceRefusal(rawValue: message.number())) {
        case (.welcome, _) where message.number() == ServiceMessage.version:
          channel.pause()
          channel.serviceIs(Int32(bitPattern: message.number(1)))
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
    let timer = core.loop.schedule(after: core.deadlines.welcome) { [unowned channel] in
      // If this process was stopped itself, the service's message is waiting here.
      channel.receivePending()
      answer.fail(.serviceHangs(channel.peer.process))
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
