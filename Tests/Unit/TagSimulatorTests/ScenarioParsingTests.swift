import Glibc
import Testing

@testable import TagSimulator

@Suite("A scenario line") struct ScenarioParsingTests {
  private func step(_ line: String) throws -> Scenario.Step { try #require(try Scenario.step(parsing: line)) }

  private func message(_ line: String) -> String {
    do {
      _ = try Scenario.step(parsing: line)
      return "(understood)"
    } catch { return "\(error)" }
  }

  @Test("may have a time") func at() throws {
    let step = try step("at 2.5s gesture double-tap")
    #expect(step.moment == .at(.milliseconds(2500)))
    #expect(step.action == .tag(.gesture(1)))
    #expect(step.tag == nil)
  }

  @Test(
    "accepts a gesture as one word or two",
    arguments: ["gesture brush-in", "gesture brush in", "every 1s gesture brush in for 5s"])
  func gesture(_ name: String) throws { #expect(try step(name).action == .tag(.gesture(2))) }

  @Test("names a stroke, whose person and seed may be given") func stroke() throws {
    #expect(try step("stroke tap").action == .tag(.stroke([.tap], person: 1, seed: nil)))
    #expect(
      try step("every 2s stroke swipe_in person 3 seed 7 for 1min").action
        == .tag(.stroke([.swipeIn], person: 3, seed: 7)))
    #expect(try step("stroke other seed 2").action == .tag(.stroke(Stroke.others, person: 1, seed: 2)))
    #expect(message("stroke slap").contains("‘slap’ is not a stroke; known: tap, double-tap,"))
    #expect(message("stroke tap person -1").contains("‘-1’ is not a person's number"))
  }

  @Test("is executed at the start without a time") func start() throws {
    #expect(try step("battery 12 charging").moment == .at(.zero))
  }

  @Test("may be executed after an event, each time or once") func after() throws {
    #expect(
      try step("after connected 300ms gear attach levis-trucker").moment
        == .after(.connected, .milliseconds(300), once: false))
    #expect(try step("after ready once drop link").moment == .after(.ready, .zero, once: true))
  }

  @Test("may be executed after the nth event") func afterNth() throws {
    #expect(try step("after ready 2nd 5ms mute on").moment == .afterNth(2, .ready, .milliseconds(5)))
    #expect(try step("after connected 1st drop link").moment == .afterNth(1, .connected, .zero))
    #expect(message("after ready 0th drop link").contains("‘0th’ is not an action"))
  }

  @Test("sends whole packets") func packets() throws {
    #expect(try step("packet notification 08 00 10").action == .tag(.sendPacket(.notification, [8, 0, 16])))
    #expect(try step("packet response ff").action == .tag(.sendPacket(.response, [0xff])))
    #expect(message("packet raw 00").contains("‘raw’ is neither response nor notification"))
    #expect(message("packet notification 0").contains("‘0’ is not a packet in hexadecimal"))
    #expect(message("packet notification").contains("is not a packet"))
    #expect(message("packet notification " + String(repeating: "00", count: 1025)).contains("is not a packet"))
  }

  @Test("describes actions of another program") func foreign() throws {
    #expect(try step("foreign subscribe").action == .foreign(.init(program: 1, operation: .subscribe(true, nil))))
    #expect(
      try step("foreign 2 unsubscribe raw").action
        == .foreign(.init(program: 2, operation: .subscribe(false, .rawData))))
    #expect(try step("foreign scan rssi -60").action == .foreign(.init(program: 1, operation: .scan(rssi: -60))))
    let lasting = try step("foreign subscribe notification for 5s")
    #expect(lasting.ending?.action == .foreign(.init(program: 1, operation: .subscribe(false, .notification))))
    #expect(message("foreign dance").contains("‘dance’ is not an action of another program"))
    #expect(message("foreign 0 scan").contains("is not a program's number"))
    #expect(message("foreign remove for 5s").contains("cannot be undone"))
  }

  @Test("sets the tag's serial number") func serial() throws {
    #expect(try step("serial 00-aZ").action == .tag(.serial("00-aZ")))
    for serial in ["", "00000000", "ä"] { #expect(message("serial \(serial)") != "(understood)") }
  }

  @Test("may be repeated for some time") func every() throws {
    let step = try step("after ready every 16ms touch sweep for 10s")
    #expect(step.repetition == .init(every: .milliseconds(16), until: .seconds(10)))
    #expect(step.action == .tag(.touchSweep))
  }

  @Test("may be undone after some time") func lasting() throws {
    let step = try step("at 1s out-of-range for 5s")
    #expect(step.action == .tag(.inRange(false)))
    #expect(step.ending?.after == .seconds(5))
    #expect(step.ending?.action == .tag(.inRange(true)))
  }

  @Test("belongs to one tag") func tag() throws {
    #expect(try step("tag 2 at 1s rssi -70").tag == 1)
  }

  @Test("changes the response to a request") func reaction() throws {
    #expect(
      try step("on request battery: delay 3s").action == .tag(.react(Reaction(to: .battery, .delay(.seconds(3))))))
    #expect(
      try step("on request config-write 2 times: status 10").action
        == .tag(.react(Reaction(to: .configWrite, .status(10), times: 2))))
    #expect(try step("on request any once: drop").action == .tag(.react(Reaction(to: nil, .drop, times: 1))))
  }

  @Test("kills, stops and restarts bluetoothd") func daemon() throws {
    #expect(try step("at 3s bluetoothd kill").action == .host(.daemon(.kill, downtime: .zero)))
    #expect(try step("bluetoothd restart after 1s").action == .host(.daemon(.restart, downtime: .seconds(1))))
    #expect(try step("adapter off for 2s").ending?.action == .host(.powered(true)))
  }

  @Test("stores sessions on the tag") func session() throws {
    #expect(try step("session 1700 samples 25").action == .tag(.session(trial: "1700", samples: 25)))
    #expect(try step("session 1700 file a/b.bin").action == .tag(.recording(trial: "1700", path: "a/b.bin")))
  }

  @Test("may be empty or a comment") func empty() throws {
    #expect(try Scenario.step(parsing: "   # nothing") == nil)
    #expect(try Scenario.step(parsing: "") == nil)
    #expect(try step("battery 5 # low").action == .tag(.battery(5, charging: nil)))
  }

  @Test(
    "reports why it is invalid",
    arguments: [
      ("gestrue double-tap", "line 1: ‘gestrue’ is not an action; did you mean gesture?"),
      (
        "gesture triple-tap",
        "line 1: ‘triple-tap’ is not a gesture; known: none, double-tap, brush-in, brush-out, cover, "
          + "brush-up, brush-down, or a number"
      ),
      ("battery 101", "line 1: ‘101’ is not a level (0 to 100)"),
      ("battery", "line 1: a level is missing at the end of the line"),
      ("at 5 drop link", "line 1: ‘5’ is not a time, such as 300ms, 2.5s or 1min"),
      ("at 99999999999s drop link", "line 1: ‘99999999999s’ is not a time, such as 300ms, 2.5s or 1min"),
      ("every 1us drop link", "line 1: the shortest period is 100us"),
      ("gesture cover for 5s", "line 1: ‘gesture’ cannot be undone, so it has no ‘for’"),
      (
        "after lunch drop link",
        "line 1: ‘lunch’ is not an event; known: connected, subscribed, begun, ready, disconnected"
      ),
      ("on request battery drop", "line 1: a colon is missing after the request"),
      ("rssi -70 dBm", "line 1: ‘dBm’ is not expected here"),
      ("send raw c0 0", "line 1: ‘c0 0’ is not a value in hexadecimal, such as c0 01 05"),
    ]) func wrong(line: String, expected: String)
  {
    #expect(message(line) == expected)
  }

  @Test("in a file of Tests/Support/scenarios is valid") func files() throws {
    let directory = repositoryPath("Tests/Support/scenarios")
    let stream = try #require(opendir(directory))
    defer { closedir(stream) }
    var count = 0
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".scenario") else { continue }
      count += 1
      let text = try #require(InputFile.text(of: directory + "/" + name))
      #expect(throws: Never.self, "\(name)") { _ = try Scenario(parsing: text) }
    }
    #expect(count > 0)
  }

  @Test("contains only words documented in docs/scenarios.md") func documented() throws {
    let text = try #require(InputFile.text(of: repositoryPath("docs/scenarios.md")))
    let requests = RequestKind.allCases.map(\.rawValue)
    let damage = TagSimulator.PacketDamage.allCases.map(\.rawValue)
    let events = SoftwareTag.Milestone.allCases.map(\.rawValue)
    let gear = Gear.known.map(\.name)
    let gestures = SimulatedGesture.allCases.map(\.rawValue)
    for word in requests + damage + events + gear + gestures {
      #expect(text.contains("`\(word)`"), "\(word)")
    }
    for word in ActionWords.known {
      #expect(text.contains("`\(word)`") || text.contains("`\(word) "), "\(word)")
    }
  }

  @Test("is counted from 1 in a script") func lineNumbers() {
    #expect(throws: ScenarioError(line: 3, message: "‘up’ is not one of on, off, blocked, unblocked, removed, added")) {
      _ = try Scenario(parsing: "battery 50\n\nadapter up\n")
    }
  }
}
