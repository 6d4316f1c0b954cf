/// The words that begin an action of a tag.
enum TagWords {
  /// Reads the words that follow.
  typealias Parser = @Sendable (inout ScenarioWords) throws -> TagAction

  static let parsers = [sleeve, radio, bonds, updates, responses, packets, motion, names]
    .reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }

  private static let sleeve: [String: Parser] = [
    "gesture": { .gesture(try gesture(&$0)) },
    "touch": { try touch(&$0) },
    "stroke": { try stroke(&$0) },
    "gear": { try gear(&$0) },
    "battery": { .battery(try $0.number("a level", in: 0...100), charging: isCharging(&$0)) },
  ]

  private static let radio: [String: Parser] = [
    "out-of-range": { _ in .inRange(false) },
    "in-range": { _ in .inRange(true) },
    "drop": {
      guard $0.take("link") else { throw $0.fail("‘drop’ must be followed by ‘link’") }
      return .dropLink
    },
    "advertise": {
      if $0.take("every") { return .advertiseEvery(try $0.duration("a period")) }
      return .advertise(try $0.onOff())
    },
    "rssi": { .rssi(try $0.number("a signal strength", in: -127...20)) },
    "move": { _ in .move },
    "sleep": { _ in .sleep },
    "reboot": { _ in .reboot },
    "link-time": { .set(\.profile.behaviour.linkTime, $0.take("unlimited") ? nil : try $0.duration("a time")) },
    "sleep-after": time(\.profile.sleepAfter),
  ]

  private static let bonds: [String: Parser] = [
    "bond": { try bond(&$0) },
    "address": choice(\.profile.behaviour.address, "a kind of address"),
  ]

  private static let updates: [String: Parser] = [
    "firmware": { .set(\.profile.firmware, try $0.version()) },
    "next-firmware": { .set(\.firmware.nextVersion, try $0.version()) },
    "fragment-counter": choice(\.profile.behaviour.fragmentCounter, "a number"),
    "flash-time": time(\.profile.behaviour.flashTime),
    "flashing": choice(\.profile.behaviour.flashing, "a way to respond"),
    "image-removal": choice(\.profile.behaviour.imageRemoval, "a moment"),
    "write-time": time(\.firmware.writeTime),
    "verification": choice(\.firmware.verification, "a verdict"),
    "power-loss": { .set(\.firmware.powerLoss, try powerLoss(&$0)) },
    "gear-report": { .set(\.firmware.gearReport, try gearReport(&$0)) },
    "drain": {
      .set(\.firmware.blocksPerPercent, $0.take("off") ? nil : try $0.number("a number of blocks", in: 1...1_000_000))
    },
  ]

  private static let responses: [String: Parser] = [
    "greeting": { .greeting(try $0.choice("a moment"), once: $0.take("once")) },
    "second-hello": choice(\.profile.behaviour.secondHello, "a way to respond"),
    "latency": time(\.profile.behaviour.latency),
    "air-time": time(\.outbox.airTime),
    "patience": { .patience(try $0.duration("a time")) },
    "protocol": {
      let lowest: UInt32 = try $0.number("a version", in: 0...255)
      return .set(\.profile.protocolVersions, lowest...(try $0.number("a version", in: lowest...255)))
    },
    "mute": { .mute(try $0.onOff()) },
    "on": { .react(try reaction(&$0)) },
    "heed": { _ in .heed },
    "load-report": { .set(\.profile.behaviour.loadReport, try loadReport(&$0)) },
  ]

  private static let motion: [String: Parser] = [
    "module": { .module(try $0.either("installed", "missing", after: "module")) },
    "packet-numbers": {
      .set(
        \.profile.behaviour.restartsPacketNumbers, try $0.either("restart", "continue", after: "packet-numbers"))
    },
    "storage": { .storageFull(try $0.either("full", "free", after: "storage")) },
    "motion": { try motion(&$0) },
    "session": { try session(&$0) },
  ]

  private static let names: [String: Parser] = [
    "name": {
      let name = $0.rest()
      guard (1...21).contains(name.utf8.count) else { throw $0.fail("a name has 1 to 21 bytes") }
      return .rename(name)
    },
    "serial": {
      let serial = String(try $0.next("a serial number"))
      guard (1...7).contains(serial.utf8.count), SimulatedSerialNumber.isPackable(serial) else {
        throw $0.fail("a serial number has 1 to 7 letters, digits or dashes")
      }
      return .serial(serial)
    },
  ]

  private static func time(_ property: TagSetting.Property<Duration>) -> Parser {
    { .set(property, try $0.duration("a time")) }
  }

  private static func choice<Value: RawRepresentable & CaseIterable & Equatable & Sendable>(
    _ property: TagSetting.Property<Value>, _ what: String
  ) -> Parser where Value.RawValue == String {
    { .set(property, try $0.choice(what)) }
  }

  private static func isCharging(_ words: inout ScenarioWords) -> Bool? {
    if words.take("charging") { return true }
    return words.take("discharging") ? false : nil
  }

  private static func bond(_ words: inout ScenarioWords) throws -> TagAction {
    if words.take("forget") { return .forgetBond }
    if words.take("required") { return .set(\.profile.requiresBond, true) }
    if words.take("optional") { return .set(\.profile.requiresBond, false) }
    if words.take("elsewhere") { return .pairElsewhere }
    if let manner = TagProfile.Pairing.allCases.first(where: { words.take($0.rawValue) }) {
      return .set(\.profile.pairing, manner)
    }
    if let number = TagBehaviour.Bonds.allCases.first(where: { words.take($0.rawValue) }) {
      return .set(\.profile.behaviour.bonds, number)
    }
    throw words.fail(
      "‘bond’ must be followed by forget, required, optional, elsewhere, accepted, fleeting, refused, several or one")
  }

  private static func loadReport(_ words: inout ScenarioWords) throws -> LoadReport {
    switch try words.next("after, before, never or status") {
    case "after": return .afterResponse
    case "before": return .beforeResponse
    case "never": return .never
    case "status": return .failed(try words.number("a status", in: 1...UInt32.max))
    case let other: throw words.fail("‘\(other)’ is not one of after, before, never, status")
    }
  }

  /// The behaviour of the tag's motion capture from now on.
  private static func motion(_ words: inout ScenarioWords) throws -> TagAction {
    switch try words.next("drift, rate-error, loss, ticks, status, erase-time, erase-response or erase-report") {
    case "drift": return .set(\.recorder.sensor.drift, try words.number("parts per million", in: -1000...1000))
    case "rate-error": return .set(\.recorder.sensor.rateError, try words.number("parts per thousand", in: -200...200))
    case "loss": return .set(\.recorder.sensor.loss, try words.number("parts per thousand", in: 0...1000))
    case "ticks": return .set(\.recorder.sensor.firstTicks, try words.number("a number", in: 0...UInt32.max))
    case "status": return .set(\.recorder.reported, try number(&words, unless: "normal"))
    case "erase-time": return .set(\.profile.behaviour.eraseTime, try words.duration("a time"))
    case "erase-response": return .set(\.profile.behaviour.eraseResponse, try words.choice("a moment"))
    case "erase-report": return .set(\.recorder.eraseReport, try number(&words, unless: "never"))
    case let other:
      throw words.fail(
        "‘\(other)’ is not one of drift, rate-error, loss, ticks, status, erase-time, erase-response, erase-report")
    }
  }

  private static func number(_ words: inout ScenarioWords, unless word: String) throws -> UInt32? {
    words.take(word) ? nil : try words.number("a status", in: 0...UInt32.max)
  }

  private static func session(_ words: inout ScenarioWords) throws -> TagAction {
    let trial = String(try words.next("a name"))
    guard trial.utf8.count <= 30 else { throw words.fail("a session's name has at most 30 bytes") }
    if words.take("file") { return .recording(trial: trial, path: String(try words.next("a path"))) }
    let samples = words.take("samples") ? try words.number("a count", in: 0...100_000) : 100
    return .session(trial: trial, samples: samples)
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
}
