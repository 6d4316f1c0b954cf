import EventLoop
import Sharing

/// Where a connection asks the services for a link to its tag.
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
  func enter(on bus: String, isBound: Bool) async throws(JacquardError) -> Channel? {
    var request = LinkRequest(bus: bus, tag: identifier.text)
    request.adapter = core.monitor.wantedAddress ?? ""
    request.code = code?.text ?? ""
    request.isBound = isBound
    request.isExclusive = core.sharing.isExclusive
    for place in core.sharing.places {
      if let channel = try await ask(place, request) { return channel }
      if place.isRequired, !core.sharing.isExclusive { throw .noService(at: place.path) }
    }
    if let patience, core.loop.now < patience { throw .serviceEnded }
    patience = nil
    return nil
  }

  /// Nil if there is no service at this place, or it is not responsible for this tag.
  private func ask(_ place: ServicePlace, _ request: LinkRequest) async throws(JacquardError) -> Channel? {
    let found: Channel?
    do throws(SharingError) {
      found = try ServiceSocket.connect(place, loop: core.loop)
    } catch {
      // Another user's service.
      guard place.isRequired else { return nil }
      throw JacquardError(error)
    }
    guard let channel = found else { return nil }
    let answer = Completion<Channel?, JacquardError>()
    channel.start(
      onMessage: { [unowned channel] message in
        switch message {
        case .welcome(ServiceMessage.version, let process):
          channel.pause()
          channel.serviceIs(process)
          answer.succeed(channel)
        case .refused(.otherBus, _), .refused(.released, _): answer.succeed(nil)
        case .refused(_, let failure): answer.fail(JacquardError(failure))
        default: answer.fail(.otherVersion(of: channel.peer.process))
        }
      }, onEnd: { _ in answer.fail(.serviceEnded) })
    channel.send(.hello(version: ServiceMessage.version, request))
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

extension JacquardError {
  private static let adviceOnService = "None needed: the library tries again."

  static let serviceEnded = JacquardError(
    .serviceUnavailable, "The Jacquard service that had the link to the tag has ended.", advice: adviceOnService)

  /// For commands, the end of the service is the loss of their link.
  var ofCommands: JacquardError {
    code == .serviceUnavailable ? JacquardError(.connectionLost, message, advice: advice) : self
  }

  static func noService(at path: String) -> JacquardError {
    JacquardError(
      .serviceUnavailable, "No Jacquard service listens at \(path), which JACQUARD_SERVICE names.",
      advice: "Start it: jacquardd --socket \(path)")
  }

  /// - Parameter process: may be the supervisor, which has created the socket; so the advice does not name it.
  static func serviceHangs(_ process: Int32) -> JacquardError {
    JacquardError(
      .serviceUnavailable, "The Jacquard service (\(description(ofProcess: process))) does not respond.",
      advice:
        "If this persists, end it: systemctl --user restart jacquardd, or, where there is no systemd: pkill -x jacquardd."
    )
  }

  /// - Parameters:
  ///   - process: that of the service.
  ///   - program: the version of the program and its process, if the service knows them.
  static func otherVersion(of process: Int32, program: (version: UInt32, process: Int32)? = nil) -> JacquardError {
    let other =
      program.map { "the program (process \($0.process)) version \($0.version)" } ?? "this program another one"
    return JacquardError(
      .serviceUnavailable,
      "The Jacquard service (process \(process)) uses version \(ServiceMessage.version) of its protocol, and \(other).",
      advice: "None needed during an upgrade; otherwise restart the service.")
  }
}
