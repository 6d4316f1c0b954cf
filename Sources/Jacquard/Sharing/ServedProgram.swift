import EventLoop
import JacquardWire
import Sharing

/// A program that uses a tag through the service: one channel, and its requests, which have turns with those of the
/// other programs.
final class ServedProgram {
  /// A program has one request in flight, and one raw packet. The others are retries of requests that it no longer
  /// waits for.
  private static let mostRequests = 8

  let channel: ProgramChannel
  let origin: CommandTurn.Origin
  /// The tag is bound for this program.
  var isBound: Bool
  /// The raw data that it has asked for.
  var rawData = ProgramMessage.RawData()
  /// The binding that this program has begun, until the tag is bound.
  var bonding: Bonding?
  /// Throws if another program's reservation excludes the action.
  var checkRight: (TagAction) throws(JacquardError) -> Void = { _ in }
  private let loop: EventLoop
  private var requests: [UInt32: Task<Void, Never>] = [:]
  private var processWatch: ProcessWatch?

  init(
    _ channel: ProgramChannel, _ origin: CommandTurn.Origin, _ hello: ProgramMessage.Hello, _ loop: EventLoop
  ) {
    self.channel = channel
    self.origin = origin
    self.loop = loop
    isBound = hello.isBound
  }

  var description: String {
    channel.peer.process > 0 ? JacquardError.description(ofProcess: channel.peer.process) : "a program in a container"
  }

  func send(_ message: ServiceMessage) { channel.send(message) }

  /// A child of fork() may have the channel open when the program has ended.
  ///
  /// - Parameter ended: called once when the process has ended.
  func watchProcess(ended: @escaping () -> Void) {
    processWatch = ProcessWatch(channel.peer.process, loop, ended: ended)
  }

  /// Requests that wait are dropped; the response to the one in flight is discarded. The channel remains open.
  func end() {
    for request in requests.values { request.cancel() }
    requests = [:]
    processWatch?.cancel()
    channel.pause()
  }

  /// - Parameter accepted: called with each request that the tag has accepted.
  func request(_ message: ProgramMessage.Request, to tag: Tag?, accepted: @escaping (WireRequest) -> Void) {
    let (id, reportsWriting, limit) = (message.id, message.reportsWriting, message.responseLimit)
    guard let request = try? WireRequest(packet: message.packet) else {
      return fail(id, .invalid("The request cannot be decoded."))
    }
    run(id, tag) { [self] tag throws(JacquardError) in
      let (commands, longest) = (tag.link.commands, tag.link.deadlines.eraseReport)
      let deadline = limit == 0 ? commands.requests.responseLimit : min(.milliseconds(limit), longest)
      var response = try await commands.exchange(request, deadline: deadline, of: origin) {
        [self] () throws(JacquardError) in
        try checkInterest()
        // Another program may have reserved something while this one waited for its turn.
        try checkRight(.request(request))
      } written: { [channel] in
        if reportsWriting { channel.send(.written(.init(id: id))) }
      }
      if response.status == 0 { accepted(request) }
      response.id = id
      response.packet().withUnsafeBytes { _ = channel.send(.response(.init(id: id, packet: $0))) }
    }
  }

  func rawRequest(_ id: UInt32, _ packet: UnsafeRawBufferPointer, to tag: Tag?) {
    let packet = Array(packet)
    run(id, tag) { [self] tag throws(JacquardError) in
      try await tag.link.commands.inTurn(of: origin) { [self] turn throws(JacquardError) in
        try checkInterest()
        try checkRight(.rawPacket)
        try await turn.value(of: tag.link.rawChannel.send(packet))
      }
      channel.send(.written(.init(id: id)))
    }
  }

  /// Called before a packet is sent: a service that was stopped must first know which programs have ended and which
  /// requests have been withdrawn meanwhile.
  private func checkInterest() throws(JacquardError) {
    channel.receivePending()
    try JacquardError.checkCancellation()
  }

  func withdraw(_ id: UInt32) { requests[id]?.cancel() }

  private func run(_ id: UInt32, _ tag: Tag?, _ body: @escaping (Tag) async throws(JacquardError) -> Void) {
    guard let tag, !tag.isStale else { return fail(id, JacquardError(.staleTag, JacquardError.Code.staleTag.text)) }
    guard requests.count < Self.mostRequests, requests[id] == nil, channel.account?.beginRequest() ?? true else {
      return fail(id, JacquardError(.busy, "The program has too many requests in flight."))
    }
    requests[id] = loop.spawn { [self] in
      defer { channel.account?.endRequest() }
      do throws(JacquardError) {
        try await body(tag)
        requests[id] = nil
      } catch {
        requests[id] = nil
        fail(id, error)
      }
    }
  }

  private func fail(_ id: UInt32, _ error: JacquardError) { channel.send(.failed(id, error)) }
}
