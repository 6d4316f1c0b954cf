/// Parses the action of a line.
enum ScenarioActionWords {
  static let known = [
    "gesture", "touch", "stroke", "gear", "battery", "out-of-range", "in-range", "drop", "advertise", "rssi", "move",
    "sleep",
    "reboot", "bond", "address", "firmware", "next-firmware", "flash-time", "flashing", "image-removal", "write-time",
    "verification", "power-loss", "gear-report", "drain", "greeting", "second-hello", "latency", "air-time", "patience",
    "sleep-after", "link-time", "protocol", "corrupt", "send", "packet", "raw-packet", "mute", "on", "heed", "module",
    "load-report", "packet-numbers", "storage", "motion", "session", "name", "serial", "bluetoothd", "adapter",
    "connect", "pairing", "notify", "resolve", "disconnect", "mtu", "bluez", "quirk", "suspend", "resume", "services",
    "discovery", "foreign", "neighbours",
  ]

  static func parse(_ words: inout ScenarioWords) throws -> ScenarioAction {
    let word = try words.next("an action")
    if let action = try tagAction(word, &words) { return .tag(action) }
    if let action = try hostAction(word, &words) { return .host(action) }
    if word == "foreign" { return .foreign(try ForeignAction.parse(&words)) }
    let near = known.filter { distance($0, String(word)) <= 2 }
    let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    throw words.fail("‘\(word)’ is not an action\(hint)")
  }

  private static func tagAction(_ word: Substring, _ words: inout ScenarioWords) throws -> TagAction? {
    switch word {
    case "gesture": return .gesture(try gesture(&words))
    case "touch": return try touch(&words)
    case "stroke": return try stroke(&words)
    case "gear": return try gear(&words)
    case "battery":
      let level: UInt32 = try words.number("a level", in: 0...100)
      if words.take("charging") { return .battery(level, charging: true) }
      if words.take("discharging") { return .battery(level, charging: false) }
      return .battery(level, charging: nil)
    case "out-of-range": return .inRange(false)
    case "in-range": return .inRange(true)
    case "drop":
      guard words.take("link") else { throw words.fail("‘drop’ must be followed by ‘link’") }
      return .dropLink
    case "advertise":
      if words.take("every") { return .advertiseEvery(try words.duration("a period")) }
      return .advertise(try words.onOff())
    case "rssi": return .rssi(try words.number("a signal strength", in: -127...20))
    case "move": return .move
    case "sleep": return .sleep
    case "reboot": return .reboot
    case "bond":
      if words.take("forget") { return .forgetBond }
      if words.take("required") { return .requireBond(true) }
      if words.take("optional") { return .requireBond(false) }
      if words.take("elsewhere") { return .pairElsewhere }
      if let manner = TagProfile.Pairing.allCases.first(where: { words.take($0.rawValue) }) { return .pairing(manner) }
      if let number = TagBehaviour.Bonds.allCases.first(where: { words.take($0.rawValue) }) { return .bonds(number) }
      throw words.fail(
        "‘bond’ must be followed by forget, required, optional, elsewhere, accepted, fleeting, refused, several or one")
    case "address": return .address(try words.choice("a kind of address"))
    case "firmware": return .firmware(try words.version())
    case "next-firmware": return .nextFirmware(try words.version())
    case "flash-time": return .flashTime(try words.duration("a time"))
    case "flashing": return .flashing(try words.choice("a way to respond"))
    case "image-removal": return .imageRemoval(try words.choice("a moment"))
    case "write-time": return .writeTime(try words.duration("a time"))
    case "verification": return .verification(try words.choice("a verdict"))
    case "power-loss": return .powerLoss(try powerLoss(&words))
    case "gear-report": return .gearReport(try gearReport(&words))
    case "drain":
      if words.take("off") { return .drain(everyBlocks: nil) }
      return .drain(everyBlocks: try words.number("a number of blocks", in: 1...1_000_000))
    case "greeting": return .greeting(try words.choice("a moment"), once: words.take("once"))
    case "second-hello": return .secondHello(try words.choice("a way to respond"))
    case "latency": return .latency(try words.duration("a time"))
    case "air-time": return .airTime(try words.duration("a time"))
    case "patience": return .patience(try words.duration("a time"))
    case "sleep-after": return .sleepAfter(try words.duration("a time"))
    case "link-time": return .linkTime(words.take("unlimited") ? nil : try words.duration("a time"))
    case "protocol":
      let lowest: UInt32 = try words.number("a version", in: 0...255)
      return .protocolVersions(lowest, try words.number("a version", in: lowest...255))
    case "corrupt":
      if words.take("block") { return .corruptBlock }
      let characteristic = words.take("response") ? TagCharacteristic.response : .notification
      if characteristic == .notification { _ = words.take("notification") }
      return .corrupt(characteristic, try words.choice("a kind of damage"))
    case "send": return try send(&words)
    case "packet": return try packet(&words)
    case "mute": return .mute(try words.onOff())
    case "raw-packet":
      let sequence: UInt8 = try words.number("a sequence number", in: 0...255)
      let text = words.rest()
      guard let payload = bytes(hex: text), (1...1023).contains(payload.count) else {
        throw words.fail("‘\(text)’ is not a payload in hexadecimal, such as 01 05")
      }
      return .sendRawPacket(sequence: sequence, payload)
    case "on": return .react(try reaction(&words))
    case "heed": return .heed
    case "module":
      if words.take("installed") { return .module(true) }
      if words.take("missing") { return .module(false) }
      throw words.fail("‘module’ must be followed by installed or missing")
    case "load-report":
      switch try words.next("after, before, never or status") {
      case "after": return .reportLoads(.afterResponse)
      case "before": return .reportLoads(.beforeResponse)
      case "never": return .reportLoads(.never)
      case "status": return .reportLoads(.failed(try words.number("a status", in: 1...UInt32.max)))
      case let other: throw words.fail("‘\(other)’ is not one of after, before, never, status")
      }
    case "packet-numbers":
      if words.take("restart") { return .restartPacketNumbers(true) }
      if words.take("continue") { return .restartPacketNumbers(false) }
      throw words.fail("‘packet-numbers’ must be followed by restart or continue")
    case "storage":
      if words.take("full") { return .storageFull(true) }
      if words.take("free") { return .storageFull(false) }
      throw words.fail("‘storage’ must be followed by full or free")
    case "motion": return .motion(try motion(&words))
    case "session":
      let trial = String(try words.next("a name"))
      guard trial.utf8.count <= 30 else { throw words.fail("a session's name has at most 30 bytes") }
      if words.take("file") { return .recording(trial: trial, path: String(try words.next("a path"))) }
      let samples = words.take("samples") ? try words.number("a count", in: 0...100_000) : 100
      return .session(trial: trial, samples: samples)
    case "name":
      let name = words.rest()
      guard (1...21).contains(name.utf8.count) else { throw words.fail("a name has 1 to 21 bytes") }
      return .rename(name)
    case "serial":
      let serial = String(try words.next("a serial number"))
      guard (1...7).contains(serial.utf8.count), SimulatedSerialNumber.isPackable(serial) else {
        throw words.fail("a serial number has 1 to 7 letters, digits or dashes")
      }
      return .serial(serial)
    default: return nil
    }
  }

  private static func powerLoss(_ words: inout ScenarioWords) throws -> PowerLoss {
    switch try words.next("byte or step") {
    case "byte":
      let byte: Int = try words.number("a number", in: 0...(4 << 20))
      let forgotten: Int = words.take("forgetting") ? try words.number("a number", in: 0...(4 << 20)) : 0
      return .byte(byte, forgotten: forgotten)
    case "step":
      let number: Int = try words.number("a step", in: 1...SwapStep.allCases.count)
      return .step(SwapStep.allCases[number - 1])
    case let other: throw words.fail("‘\(other)’ is none of byte, step")
    }
  }

  private static func gearReport(_ words: inout ScenarioWords) throws -> GearReport {
    switch try words.next("regular, never, foreign or status") {
    case "regular": return .regular
    case "never": return .never
    case "foreign": return .foreign
    case "status": return .failed(try words.number("a status", in: 1...UInt32.max))
    case let other: throw words.fail("‘\(other)’ is none of regular, never, foreign, status")
    }
  }

  private static func motion(_ words: inout ScenarioWords) throws -> MotionBehaviour {
    switch try words.next("drift, rate-error, loss, ticks, status, erase-time, erase-response or erase-report") {
    case "drift": return .drift(try words.number("parts per million", in: -1000...1000))
    case "rate-error": return .rateError(try words.number("parts per thousand", in: -200...200))
    case "loss": return .loss(try words.number("parts per thousand", in: 0...1000))
    case "ticks": return .ticks(try words.number("a number", in: 0...UInt32.max))
    case "status":
      if words.take("normal") { return .status(nil) }
      return .status(try words.number("a status", in: 0...UInt32.max))
    case "erase-time": return .eraseTime(try words.duration("a time"))
    case "erase-response": return .eraseResponse(try words.choice("a moment"))
    case "erase-report":
      if words.take("never") { return .eraseReport(nil) }
      return .eraseReport(try words.number("a status", in: 0...UInt32.max))
    case let other:
      throw words.fail(
        "‘\(other)’ is not one of drift, rate-error, loss, ticks, status, erase-time, erase-response, erase-report")
    }
  }

  private static func hostAction(_ word: Substring, _ words: inout ScenarioWords) throws -> HostAction? {
    switch word {
    case "bluetoothd":
      let verb: HostAction.Daemon = try words.choice("something that happens to bluetoothd")
      let downtime = words.take("after") ? try words.duration("a time") : .zero
      return .daemon(verb, downtime: downtime)
    case "adapter":
      switch try words.next("on, off, blocked, unblocked, removed or added") {
      case "on": return .powered(true)
      case "off": return .powered(false)
      case "blocked": return .blocked(true)
      case "unblocked": return .blocked(false)
      case "removed": return .adapterPresent(false, index: 0)
      case "added":
        guard words.take("as") else { return .adapterPresent(true, index: 0) }
        let name = try words.next("a name such as hci1")
        guard name.hasPrefix("hci"), let index = Int(name.dropFirst(3)), (0...15).contains(index) else {
          throw words.fail("‘\(name)’ is not a name such as hci1")
        }
        return .adapterPresent(true, index: index)
      case let other: throw words.fail("‘\(other)’ is not one of on, off, blocked, unblocked, removed, added")
      }
    case "connect":
      switch try words.next("takes, fails, drops, hangs, flaps or works") {
      case "takes": return .connectTime(try words.duration("a time"))
      case "fails":
        let text = String(try words.next("an error's text"))
        return .connectFault(.error(text, times: try times(&words)))
      case "flaps": return .connectFault(.flap(times: try times(&words)))
      case "drops": return .connectFault(.drop(times: try times(&words)))
      case "hangs": return .connectFault(.hang(times: try times(&words)))
      case "works": return .connectFault(.none)
      case let other: throw words.fail("‘\(other)’ is not one of takes, fails, drops, hangs, flaps, works")
      }
    case "pairing":
      if words.take("takes") { return .pairingTime(try words.duration("a time")) }
      if words.take("asks") { return .pairingQuestion(try words.choice("a question")) }
      throw words.fail("‘pairing’ must be followed by takes or asks")
    case "notify":
      if words.take("works") { return .notifyWorks }
      guard words.take("fails") else { throw words.fail("‘notify’ must be followed by fails or works") }
      return .notifyFails(times: try times(&words))
    case "resolve":
      if words.take("incomplete") { return .resolveIncomplete(times: try times(&words)) }
      if words.take("works") { return .resolveWorks }
      guard words.take("takes") else { throw words.fail("‘resolve’ must be followed by takes, incomplete or works") }
      return .resolveTime(try words.duration("a time"))
    case "services":
      guard words.take("renumbered") else { throw words.fail("‘services’ must be followed by ‘renumbered’") }
      return .renumberServices
    case "discovery":
      if words.take("works") { return .allowDiscovery }
      guard words.take("refused") else { throw words.fail("‘discovery’ must be followed by refused or works") }
      let name =
        words.peek().map { $0.first?.isUppercase == true } == true ? String(try words.next("a name")) : "InProgress"
      return .refuseDiscovery(name, times: try times(&words))
    case "disconnect":
      guard words.take("takes") else { throw words.fail("‘disconnect’ must be followed by ‘takes’") }
      return .disconnectTime(try words.duration("a time"))
    case "mtu": return .capacity(try words.number("an MTU", in: 23...517) - 3)
    case "bluez": return .release(try words.release())
    case "quirk":
      switch try words.next("a quirk") {
      case "silent-connected": return .silentConnected(try words.onOff())
      case "resolved-first": return .resolvedFirst(try words.onOff())
      case "unanswered-connect": return .connectUnanswered(try words.onOff())
      case "unanswered-write": return .writeUnanswered(try words.onOff())
      case "unanswered-security": return .securityUnanswered(try words.onOff())
      case "disconnected-signal": return .saysWhyDisconnected(try words.onOff())
      case let other:
        throw words.fail(
          "‘\(other)’ is not a quirk; known: silent-connected, resolved-first, disconnected-signal, "
            + "unanswered-connect, unanswered-write, unanswered-security")
      }
    case "neighbours": return .neighbours(try words.number("a number of devices", in: 1...1000))
    case "suspend": return .asleep(true)
    case "resume": return .asleep(false)
    default: return nil
    }
  }

  private static func gesture(_ words: inout ScenarioWords) throws -> UInt32 {
    let word = try words.next("a gesture")
    if let number = UInt32(word) { return number }
    // Also written as two words.
    if let second = words.peek(), let gesture = SimulatedGesture(rawValue: "\(word)-\(second)") {
      _ = words.take(String(second))
      return gesture.number
    }
    guard let gesture = SimulatedGesture(rawValue: String(word)) else {
      let names = SimulatedGesture.allCases.map(\.rawValue).joined(separator: ", ")
      throw words.fail("‘\(word)’ is not a gesture; known: \(names), or a number")
    }
    return gesture.number
  }

  private static func touch(_ words: inout ScenarioWords) throws -> TagAction {
    if words.take("sweep") { return .touchSweep }
    if words.take("lift") { return .touchLift }
    var lines: [UInt8] = []
    for _ in 0..<13 { lines.append(try words.number("an intensity", in: 0...255)) }
    return .touch(lines)
  }

  /// `stroke NAME [person N] [seed N]`
  private static func stroke(_ words: inout ScenarioWords) throws -> TagAction {
    let name = try words.next("a stroke")
    guard let choice = Stroke.named(name) else {
      throw words.fail("‘\(name)’ is not a stroke; known: \(Stroke.names.joined(separator: ", "))")
    }
    let person: UInt64 = words.take("person") ? try words.number("a person's number", in: 0...UInt64.max) : 1
    let seed: UInt64? = words.take("seed") ? try words.number("a seed", in: 0...UInt64.max) : nil
    return .stroke(choice, person: person, seed: seed)
  }

  private static func gear(_ words: inout ScenarioWords) throws -> TagAction {
    if words.take("detach") { return .detach }
    guard words.take("attach") else { throw words.fail("‘gear’ must be followed by attach or detach") }
    let name = try words.next("gear")
    let gear: Gear
    if name == "unlisted" {
      gear = .unlisted(
        vendorID: try words.number("a vendor", in: 0...UInt32.max),
        productID: try words.number("a product", in: 0...UInt32.max))
    } else if let known = Gear.named(name) {
      gear = known
    } else {
      let names = Gear.known.map(\.name).joined(separator: ", ")
      throw words.fail("‘\(name)’ is not gear; known: \(names), unlisted VENDOR PRODUCT")
    }
    let component: UInt32? = words.take("component") ? try words.number("a component id", in: 1...65535) : nil
    return .attach(gear, component: component)
  }

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
  private static func reaction(_ words: inout ScenarioWords) throws -> Reaction {
    guard words.take("request") else { throw words.fail("‘on’ must be followed by ‘request’") }
    var name = try words.next("a request")
    var limit: Int?
    if name.hasSuffix(":") {
      name = name.dropLast()
    } else {
      limit = try times(&words, colon: true)
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

  /// `once` or `3 times`, or nothing; after a request's name a colon ends it.
  private static func times(_ words: inout ScenarioWords, colon: Bool = false) throws -> Int? {
    let tail = colon ? ":" : ""
    if words.take("once" + tail) { return 1 }
    guard let word = words.peek(), let count = Int(word) else {
      if colon { throw words.fail("a colon is missing after the request") }
      return nil
    }
    _ = try words.next("a number")
    guard (1...1_000_000).contains(count), words.take("times" + tail) else {
      throw words.fail("‘\(word)’ must be followed by ‘times\(tail)’")
    }
    return count
  }

  /// The number of letters to change, add or remove to get from one word to another.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var previous = row[0]
      row[0] = index + 1
      for column in right.indices {
        let above = row[column + 1]
        row[column + 1] = min(above + 1, row[column] + 1, previous + (letter == right[column] ? 0 : 1))
        previous = above
      }
    }
    return row[right.count]
  }
}
