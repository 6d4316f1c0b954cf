/// Packets that a tag sends although no request asks for them, and requests to which it reacts in another way.
extension TagWords {
  static let packets: [String: Parser] = [
    "corrupt": {
      if $0.take("block") { return .set(\.firmware.corruptNext, true) }
      let characteristic = $0.take("response") ? TagCharacteristic.response : .notification
      if characteristic == .notification { _ = $0.take("notification") }
      return .corrupt(characteristic, try $0.choice("a kind of damage"))
    },
    "send": { try send(&$0) },
    "packet": { try packet(&$0) },
    "raw-packet": {
      let sequence: UInt8 = try $0.number("a sequence number", in: 0...255)
      let text = $0.rest()
      guard let payload = bytes(hex: text), (1...1023).contains(payload.count) else {
        throw $0.fail("‘\(text)’ is not a payload in hexadecimal, such as 01 05")
      }
      return .sendRawPacket(sequence: sequence, payload)
    },
  ]

  private static func send(_ words: inout ScenarioWords) throws -> TagAction {
    let channel = try words.next("response, notification or raw")
    let characteristics: [Substring: TagCharacteristic] = [
      "response": .response, "notification": .notification, "raw": .rawData,
    ]
    guard let characteristic = characteristics[channel] else {
      throw words.fail("‘\(channel)’ is not one of response, notification, raw")
    }
    let text = words.rest()
    guard let value = bytes(hex: text), value.count <= 512 else {
      throw words.fail("‘\(text)’ is not a value in hexadecimal, such as c0 01 05")
    }
    return .send(characteristic, value)
  }

  private static func packet(_ words: inout ScenarioWords) throws -> TagAction {
    let characteristic: TagCharacteristic
    switch try words.next("response or notification") {
    case "response": characteristic = .response
    case "notification": characteristic = .notification
    case let other: throw words.fail("‘\(other)’ is neither response nor notification")
    }
    let text = words.rest()
    guard let packet = bytes(hex: text), (1...FragmentCutter.largestPacket).contains(packet.count) else {
      throw words.fail("‘\(text)’ is not a packet in hexadecimal, such as 08 00 10 17")
    }
    return .sendPacket(characteristic, packet)
  }

  /// `on request battery [N times]: delay 3s`
  static func reaction(_ words: inout ScenarioWords) throws -> Reaction {
    guard words.take("request") else { throw words.fail("‘on’ must be followed by ‘request’") }
    var name = try words.next("a request")
    var limit: Int?
    if name.hasSuffix(":") {
      name = name.dropLast()
    } else {
      limit = try words.times(colon: true)
    }
    var kind: RequestKind?
    if name != "any" {
      kind = RequestKind(rawValue: String(name))
      guard kind != nil else {
        let names = RequestKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw words.fail("‘\(name)’ is not a request; known: any, \(names)")
      }
    }
    let effect: Reaction.Effect
    switch try words.next("a reaction") {
    case "delay": effect = .delay(try words.duration("a time"))
    case "drop": effect = .drop
    case "status": effect = .status(try words.number("a status", in: 0...UInt32.max))
    case "disconnect": effect = .disconnect
    case "without-payload": effect = .withoutPayload
    case "wrong-id": effect = .wrongID
    case "duplicate": effect = .duplicate
    case "garbage": effect = .garbage
    case "latin-1": effect = .latin1
    case "corrupt": effect = .corrupt(try words.choice("a kind of damage"))
    case let other:
      throw words.fail(
        "‘\(other)’ is not a reaction; known: delay, drop, status, disconnect, without-payload, wrong-id, duplicate, "
          + "garbage, latin-1, corrupt")
    }
    return Reaction(to: kind, effect, times: limit)
  }
}
