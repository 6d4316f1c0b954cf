import JacquardWire

/// Negotiates the protocol after notifications are enabled: hello, begin, device information, configuration.
struct Handshake {
  let link: DeviceLink
  let deadlines: Deadlines

  private static let protocolVersion: UInt32 = 2

  /// The depth of the tag's notification queue at which it drops nothing.
  private static let queueDepth: UInt32 = 14

  private static let hello = TagCommand<WireHelloResponse>(.hello) { $0.hasHello ? $0.hello : nil }

  private static let begin = TagCommand<WireBeginResponse>(.begin) {
    $0.begin.protocol = protocolVersion
  } answer: {
    $0.hasBegin ? $0.begin : nil
  }

  private static let configure = TagCommand<Void>(.configWrite) {
    $0.configWrite.bleConfig.notifQueueDepth = queueDepth
  } answer: { _ in
    ()
  }

  func run(done: @escaping (Step) -> Void) async throws(JacquardError) -> WireDeviceInfoResponse {
    let hello = try await sayHello { done(.helloWritten) }
    guard hello.protocolMin <= Self.protocolVersion, Self.protocolVersion <= hello.protocolMax else {
      throw JacquardError(
        .protocolVersion,
        "The tag supports protocol versions \(hello.protocolMin) to \(hello.protocolMax); this library requires "
          + "version 2.")
    }
    done(.helloAnswered)
    _ = try await send(Self.begin, deadlines.setUpRequest)
    done(.beginAnswered)
    let info = try await send(TagInfo.read, deadlines.setUpRequest)
    done(.deviceInfoAnswered)
    try await send(Self.configure, deadlines.setUpRequest)
    done(.configured)
    return info
  }

  /// ATT error 3, write not permitted, is the only sign of firmware that accepts only write commands.
  private func sayHello(written: @escaping () -> Void) async throws(JacquardError) -> WireHelloResponse {
    do throws(JacquardError) {
      return try await send(Self.hello, deadlines.setUpRequest, written: written)
    } catch {
      guard error.attCode == 0x03, link.fallBackToWriteCommands() else { throw error }
      return try await send(Self.hello, deadlines.setUpRequest, written: written)
    }
  }

  private func send<Answer>(
    _ command: TagCommand<Answer>, _ deadline: Duration, written: @escaping () -> Void = {}
  ) async throws(JacquardError) -> Answer {
    try command.result(of: try await link.commands.exchange(command.request, deadline: deadline, written: written))
  }
}
