import EventLoop
import Glibc
import Sharing

/// Where a program asks the services for the link to a tag, or to remove its bonds.
final class ServiceEntrance {
  let identifier: TagIdentifier
  private let core: Core
  private let code: TagCode?
  /// The deadline for the return of a service that has ended.
  private var patience: LoopInstant?
  /// The identifier with which the service was asked last.
  private var asked: TagIdentifier
  /// The process of the service that was used last.
  private var process: Int32 = 0

  init(_ core: Core, _ identifier: TagIdentifier, _ code: TagCode?) {
    self.core = core
    self.identifier = identifier
    self.code = code
    asked = identifier
  }

  /// Whether BlueZ has the tag under another identifier than that with which the service was asked.
  var hasOtherIdentifier: Bool { present != asked && !core.devices(of: present).isEmpty }

  /// The service has no records, so it can only look for the identifier under which BlueZ has the tag.
  private var present: TagIdentifier {
    let current = core.current(identifier)
    return core.devices(of: current).isEmpty ? core.knownTags.current(identifier) : core.present(current)
  }

  /// Called at the end of a channel: the service is expected to be started again.
  func serviceHasEnded() { patience = core.loop.now.advanced(by: core.deadlines.serviceReturn) }

  /// How much longer this connection waits for a service that has ended; nil if it does not.
  var patienceLeft: Duration? { patience.map { core.loop.now.duration(to: $0) }.flatMap { $0 > .zero ? $0 : nil } }

  private var isPatient: Bool { patienceLeft != nil }

  /// Nil if this program has to have the link itself.
  func enter(on bus: String, isBound: Bool, streaming: GearMonitor.Streaming?) async throws(JacquardError)
    -> ServiceChannel?
  {
    let purpose: Purpose = core.sharing.isExclusive ? .release : .link
    // Devices are not followed here, and the service may have been started after BlueZ resolved the address.
    if core.devices(of: identifier, maybe: true).contains(where: \.address.mayBeResolved) {
      try? await core.refresh(identifier)
      try JacquardError.checkCancellation()
    }
    do throws(JacquardError) {
      if let channel = try await ask(hello(purpose, bus, isBound, streaming)) {
        patience = nil
        return channel
      }
      if isPatient { throw .serviceEnded }
    } catch {
      // A service without a bus or an adapter is like one that is not there.
      guard error.code == .busUnavailable, !core.sharing.places.contains(where: \.isRequired) else { throw error }
      if patience == nil { serviceHasEnded() }
      if isPatient { throw error }
    }
    return nil
  }

  /// Whether a service accepts this program, which has the link itself. Waits while a service does not respond, or has
  /// no bus or adapter yet.
  func isAccepted(on bus: String) async -> Bool {
    var attempts = 0
    let pauses = core.deadlines.retryPauses
    while !Task.isCancelled {
      do throws(JacquardError) {
        let channel = try await ask(hello(.inquire, bus))
        channel?.close()
        return channel != nil
      } catch {
        attempts += 1
        // It has its socket a moment before it listens. If it ends, its socket will change.
        let mayListenSoon = error.code == .serviceUnavailable && attempts < pauses.usual.count
        guard mayListenSoon || error.code == .busUnavailable else { return false }
        guard (try? await core.loop.sleep(pauses.after(attempt: attempts))) != nil else { return false }
      }
    }
    return false
  }

  /// Has the service remove the bonds of the tag. Returns whether there were any; nil: there is no service.
  func unbind(on bus: String) async throws(JacquardError) -> Bool? {
    guard let channel = try await ask(hello(.unbind, bus)) else { return nil }
    defer { channel.close() }
    let done = Completion<Bool, JacquardError>()
    let hangs = { [self] in _ = done.fail(.serviceHangs(process)) }
    channel.start(
      onMessage: {
        switch $0 {
        case .unbound(let answer): done.succeed(answer.hadBond)
        case .refused(let answer): done.fail(answer.error.error ?? .serviceEnded)
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

  private func hello(
    _ purpose: Purpose, _ bus: String, _ isBound: Bool = false, _ streaming: GearMonitor.Streaming? = nil
  ) -> ProgramMessage.Hello {
    asked = present
    return ProgramMessage.Hello(
      version: Version.current.rawValue, isBound: isBound, hasSetMode: streaming?.process == JacquardError.ownProcess,
      streamingVendor: streaming?.vendorID ?? 0, streamingProduct: streaming?.productID ?? 0, purpose: purpose,
      bus: bus, tag: asked.text, adapter: core.monitor.wantedAddress ?? "", code: isBound ? "" : code?.text ?? "")
  }

  /// Nil if no service is responsible for this tag.
  private func ask(_ hello: ProgramMessage.Hello) async throws(JacquardError) -> ServiceChannel? {
    var failure: JacquardError?
    for place in core.sharing.places {
      switch try contact(place) {
      case .connected(let channel):
        do throws(JacquardError) {
          if let welcome = try await ask(channel, hello) { return welcome }
        } catch {
          guard hello.purpose == .inquire, !error.isCancellation else { throw error }
          failure = error
        }
        if place.isRequired, hello.purpose != .release { throw .noService(at: place.path) }
      case .full: throw .serviceHangs(process)
      case .refused where hello.purpose == .inquire: failure = .serviceRestarts
      case .refused where hello.purpose == .link && !place.isRequired:
        if patience == nil { serviceHasEnded() }
        if isPatient { throw .serviceRestarts }
      case .absent, .refused:
        if place.isRequired, hello.purpose != .release { throw .noService(at: place.path) }
      }
    }
    if let failure { throw failure }
    return nil
  }

  private func contact(_ place: ServicePlace) throws(JacquardError) -> ServiceSocket.Contact {
    do throws(SharingError) {
      return try ServiceSocket.connect(place, loop: core.loop)
    } catch {
      guard place.isRequired else {
        // Otherwise it is another user's service.
        if case .unusable = error { core.log(.info, .link, error.message) }
        return .absent
      }
      throw error.code == EACCES ? .noAccess(to: place.path) : JacquardError(error)
    }
  }

  /// Nil if the service is not responsible for this tag.
  private func ask(
    _ channel: ServiceChannel, _ hello: ProgramMessage.Hello
  ) async throws(JacquardError) -> ServiceChannel? {
    let answer = Completion<ServiceChannel?, JacquardError>()
    channel.start(
      onMessage: { [self, unowned channel] in take($0, from: channel, to: hello, answer) },
      onEnd: { _ in answer.fail(.serviceEnded) })
    channel.send(.hello(hello))
    // The program that inquires has the link.
    let timer =
      hello.purpose == .inquire
      ? nil
      : core.loop.schedule(after: core.deadlines.welcome) { [self, unowned channel] in
        // If this process was stopped itself, the service's message is waiting here.
        channel.receivePending()
        // The kernel may report the supervisor that has created the socket.
        answer.fail(.serviceHangs(process))
      }
    defer { timer?.cancel() }
    do throws(JacquardError) {
      if let channel = try await answer.value() { return channel }
    } catch {
      channel.close()
      throw error
    }
    channel.close()
    return nil
  }
  /// Completes `answer` with the service's reply to `hello`.
  private func take(
    _ message: ServiceMessage, from channel: ServiceChannel, to hello: ProgramMessage.Hello,
    _ answer: Completion<ServiceChannel?, JacquardError>
  ) {
    switch message {
    case .welcome(let welcome) where welcome.version == Version.current.rawValue:
      channel.pause()
      channel.serviceIs(welcome.process)
      process = channel.peer.process
      answer.succeed(channel)
    case .welcome(let welcome):
      answer.fail(
        .versions(
          service: (welcome.version, channel.peer.process),
          program: (Version.current.rawValue, JacquardError.ownProcess)))
    // It may learn later than this program that the bus was replaced.
    case .refused(let refused) where refused.refusal == .otherBus && hello.purpose == .inquire:
      answer.fail(.serviceRestarts)
    case .refused(let refused) where refused.refusal == .otherBus || refused.refusal == .released:
      answer.succeed(nil)
    case .refused(let refused): answer.fail(refused.error.error ?? .serviceEnded)
    default: break
    }
  }
}
