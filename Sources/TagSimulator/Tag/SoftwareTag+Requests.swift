import JacquardWire
import WireFormat

/// The tag's response to one request.
struct Answer {
  var status: UInt32 = 0
  var fill: (inout WireResponse) -> Void = { _ in }
  /// Work to do after the response has been sent.
  var then: () -> Void = {}
  /// Whether `then` runs only if the link is still up.
  var needsLink = true
  /// The time that the request takes, before the response.
  var delay: Duration = .zero

  static var done: Answer { Answer() }
}

/// A request that the tag refuses.
struct Refusal: Error {
  var status: UInt32
  var violation: Violation?

  static func breach(_ kind: Violation.Kind, _ detail: String, status: UInt32 = ResponseStatus.badParameter) -> Refusal
  {
    Refusal(status: status, violation: Violation(kind, detail))
  }

  static func plain(_ status: UInt32) -> Refusal { Refusal(status: status, violation: nil) }
}

/// The status numbers that the tag uses.
enum ResponseStatus {
  static let unsupported: UInt32 = 1
  static let badParameter: UInt32 = 2
  static let batteryLow: UInt32 = 3
  static let deviceType: UInt32 = 6
  static let invalidState: UInt32 = 7
  static let checksum: UInt32 = 9
  static let busy: UInt32 = 10
}

extension SoftwareTag {
  /// Checks a packet of the command characteristic and responds to it.
  func takeRequest(_ packet: [UInt8]) {
    guard let fields = TopLevelFields.numbers(in: packet), let request = try? WireRequest(serializedBytes: packet),
      !request.hasRepairedText(of: packet)
    else {
      // A real tag cannot determine the ID of a packet that it cannot parse, so it does not respond.
      return violate(.requestMalformed, bytes: packet)
    }
    guard request.hasDomain, request.hasOpcode, request.hasID else {
      let missing = [(request.hasDomain, "domain"), (request.hasOpcode, "opcode"), (request.hasID, "id")]
      return violate(.fieldMissing, missing.filter { !$0.0 }.map(\.1).joined(separator: ", "), bytes: packet)
    }
    journal.requests += 1
    journal.requestIDs.append(request.id)
    if !(1...254).contains(request.id) { violate(.idReserved, "\(request.id)", bytes: packet) }
    guard let kind = RequestKind.at(domain: request.domain, opcode: request.opcode) else {
      violate(.requestUnknown, "domain \(request.domain), opcode \(request.opcode)", bytes: packet)
      return respond(to: request, nil, Answer(status: ResponseStatus.unsupported))
    }
    journal.kinds.append(kind)
    do {
      try refuseOverlap(request, kind)
      try refuseDisorder(kind)
      try refuseForeignPayload(fields.filter { $0 >= 99 }, kind)
      open(request, kind)
      let answer = try answer(request, kind)
      respond(to: request, kind, answer)
    } catch let refusal as Refusal {
      if var violation = refusal.violation {
        violation.bytes = packet
        violate(violation)
      }
      if refusal.violation?.kind != .requestOverlap { open(request, kind) }
      respond(to: request, kind, Answer(status: refusal.status))
    } catch {
      violate(.requestMalformed, "\(error)", bytes: packet)
    }
  }

  private func open(_ request: WireRequest, _ kind: RequestKind) {
    session?.pending = .init(id: request.id, kind: kind, since: clock.now)
  }

  /// One request at a time; a host may continue without a response only after its time limit, which begins when the
  /// request has been accepted for writing: the tag receives it later.
  private func refuseOverlap(_ request: WireRequest, _ kind: RequestKind) throws {
    guard let pending = session?.pending else { return }
    let limit = pending.kind.isSetUp ? profile.setUpResponseTimeLimit : profile.responseTimeLimit
    let waited = clock.now - pending.since
    guard waited + profile.deliveryTime < limit else { return }
    throw Refusal.breach(
      .requestOverlap, "\(kind.rawValue) while \(pending.kind.rawValue) with id \(pending.id) is open",
      status: ResponseStatus.busy)
  }

  private func refuseDisorder(_ kind: RequestKind) throws {
    guard let session, kind != .hello else { return }
    if session.phase < .greeted {
      throw Refusal.breach(.beforeHello, kind.rawValue, status: ResponseStatus.invalidState)
    }
    if session.phase < .begun, kind != .begin {
      throw Refusal.breach(.beforeBegin, kind.rawValue, status: ResponseStatus.invalidState)
    }
  }

  private func refuseForeignPayload(_ payloads: [UInt32], _ kind: RequestKind) throws {
    if let own = kind.wire.payload, !payloads.contains(own) {
      throw Refusal.breach(.payloadMissing, "\(kind.rawValue) needs field \(own)")
    }
    let foreign = payloads.filter { $0 != kind.wire.payload }
    if !foreign.isEmpty { throw Refusal.breach(.payloadForeign, "\(kind.rawValue) with field \(foreign[0])") }
  }

  private func answer(_ request: WireRequest, _ kind: RequestKind) throws -> Answer {
    if kind.wire.route.domain == RequestKind.gearDomain {
      if firmware.running != nil { throw Refusal.plain(ResponseStatus.busy) }
      return try answerGear(request, kind, requireAttachment(request))
    }
    if request.hasComponentID, request.componentID != 0, kind.wire.route.domain == 0 {
      throw Refusal.breach(.componentUnknown, "\(request.componentID) for \(kind.rawValue)")
    }
    switch kind.wire.route.domain {
    case 1: return try answerFirmware(request, kind)
    case 9: return try answerRecording(request, kind)
    default: return try answerBase(request, kind)
    }
  }

  // MARK: - Responses

  private func respond(to request: WireRequest, _ kind: RequestKind?, _ answer: Answer) {
    var response = WireResponse()
    response.id = request.id
    response.status = answer.status
    response.componentID = request.hasComponentID ? request.componentID : 0
    if answer.status == 0 { answer.fill(&response) }

    var delay = profile.behaviour.latency + answer.delay
    // The power has failed.
    if presence.rebooting { return }
    guard !replaced(&response, &delay, by: takeReaction(to: kind)) else { return }
    let number = session?.number
    clock.schedule(after: delay) { [weak self, response] in
      guard let self else { return }
      let isLinked = session != nil && session?.number == number
      guard isLinked || !answer.needsLink && !presence.rebooting else { return }
      if isLinked {
        if session?.pending?.id == request.id { session?.pending = nil }
        emit(response)
      }
      if response.status == answer.status { answer.then() }
    }
  }

  /// Changes the response as a reaction says. Returns true if something else is sent, or nothing.
  private func replaced(_ response: inout WireResponse, _ delay: inout Duration, by effect: Reaction.Effect?) -> Bool {
    switch effect {
    case .delay(let duration): delay += duration
    case .drop: return true
    case .status(let status): response = bare(response, status: status)
    case .withoutPayload: response = bare(response, status: response.status)
    case .wrongID: response.id = response.id == 254 ? 1 : response.id + 1
    case .disconnect:
      scheduleIfLinked(after: delay) { [weak self] in self?.dropLink() }
      return true
    case .garbage:
      scheduleIfLinked(after: delay) { [weak self] in self?.send([0xff, 0xff, 0xff], on: .response) }
      return true
    case .latin1:
      let (packet, id) = (Self.inLatin1(response.serializedBytes()), response.id)
      scheduleIfLinked(after: delay) { [weak self] in
        guard let self else { return }
        if self.session?.pending?.id == id { self.session?.pending = nil }
        self.journal.responses += 1
        self.send(packet, on: .response)
      }
      return true
    case .corrupt(let fault): presence.nextFault[.response] = fault
    case .duplicate:
      scheduleIfLinked(after: delay) { [weak self, response] in self?.emit(response) }
    case nil: break
    }
    return false
  }

  private func emit(_ response: WireResponse) {
    journal.responses += 1
    send(response.serializedBytes(), on: .response)
  }

  /// The packet with each letter e in its text replaced by é in Latin-1, which is not valid UTF-8.
  private static func inLatin1(_ packet: [UInt8]) -> [UInt8] {
    packet.indices.map { index in
      let isInWord =
        (index > 0 && isLetter(packet[index - 1])) || (index + 1 < packet.count && isLetter(packet[index + 1]))
      return packet[index] == UInt8(ascii: "e") && isInWord ? 0xe9 : packet[index]
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

  private func bare(_ response: WireResponse, status: UInt32) -> WireResponse {
    var bare = WireResponse()
    bare.id = response.id
    bare.status = status
    bare.componentID = response.componentID
    return bare
  }

  private func takeReaction(to kind: RequestKind?) -> Reaction.Effect? {
    guard let index = reactions.firstIndex(where: { $0.kind == nil || $0.kind == kind }) else { return nil }
    let effect = reactions[index].effect
    if let times = reactions[index].times {
      if times <= 1 { reactions.remove(at: index) } else { reactions[index].times = times - 1 }
    }
    return effect
  }

  // MARK: - Notifications

  func notify(_ domain: UInt32, _ opcode: UInt32, component: UInt32 = 0, _ fill: (inout WireNotification) -> Void) {
    if profile.isMute { return }
    var notification = WireNotification()
    notification.domain = domain
    notification.opcode = opcode
    notification.componentID = component
    fill(&notification)
    journal.notifications += 1
    send(notification.serializedBytes(), on: .notification)
  }
}
