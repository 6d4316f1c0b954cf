import EventLoop
import Glibc
import TagSimulator
import Testing
import TestWorld

@testable import Jacquard

/// Runs each file of Tests/Support/scenarios with virtual time: whatever happens in it, the connection is established
/// in the end, without any action of the program.
@Suite("Scenarios")
struct ScenarioTests {
  /// Effects that some scenarios must have, to show that they test something.
  private static let consequences: [String: (links: Int, reasons: Set<JacquardError.Code>)] = [
    "adapter-off": (2, [.connectionLost, .poweredOff]),
    "adapter-unplugged": (3, [.connectionLost]),
    "away-for-hours": (2, [.connectionLost, .timeout]),
    "bad-day": (4, [.connectionLost, .connectFailed, .incompleteGatt, .deviceGone]),
    "bluetoothd-crashes-often": (10, [.bluezUnavailable]),
    "bluetoothd-ends": (3, [.connectionLost]),
    "bluetoothd-hangs": (2, [.connectionLost]),
    "classic-radio": (1, [.connectFailed]),
    "connect-cancelled": (2, [.connectionLost, .connectFailed]),
    "connect-flaps": (2, [.connectionLost, .connectFailed]),
    "connect-hangs": (1, [.timeout]),
    "connect-unanswered": (2, [.connectionLost]),
    "crash": (2, [.bluezUnavailable]),
    "discovery-refused": (2, [.connectionLost]),
    "flapping-link": (2, [.connectionLost]),
    "link-drops": (4, [.connectionLost]),
    "other-programs": (3, [.connectionLost]),
    "other-subscribers": (2, [.connectionLost]),
    "reasons": (5, [.connectionLost]),
    "services-incomplete": (2, [.connectionLost, .incompleteGatt]),
    "services-never-resolve": (1, [.timeout]),
    "services-renumbered": (3, [.deviceGone]),
    "stubborn": (1, [.connectFailed]),
    "suspend": (3, [.connectionLost]),
    "tag-sleeps": (3, [.connectionLost]),
  ]

  private static var names: [String] {
    guard let directory = opendir(repositoryPath("Tests/Support/scenarios")) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".scenario") { names.append(String(name.dropLast(".scenario".count))) }
    }
    return names.sorted()
  }

  private static func repositoryPath(_ path: String, file: String = #filePath) -> String {
    file.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 } + "/" + path
  }

  /// The time of the scenario's last event.
  private func end(of scenario: Scenario) -> Duration {
    scenario.steps.map { step in
      var end: Duration = .seconds(20)
      if case .at(let time) = step.moment { end = time }
      return end + (step.ending?.after ?? .zero) + (step.repetition?.until ?? .zero)
    }.max() ?? .zero
  }

  @Test("each expected effect belongs to a file") func consequencesHaveFiles() {
    #expect(Set(Self.consequences.keys).subtracting(Self.names) == [])
    #expect(Self.names.count >= 25)
  }

  @Test("leave a working connection", arguments: names)
  func heals(_ name: String) throws {
    let text = try #require(InputFile.text(of: Self.repositoryPath("Tests/Support/scenarios/\(name).scenario")))
    let scenario = try Scenario(parsing: text)
    let fixture = try WorldFixture()
    let complaints = Recorder<String>()
    fixture.world.complain = { complaints.note($0) }
    var options = Connection.Options()
    options.timeout = .unlimited
    options.waitForAdapter = true
    try fixture.world.play(scenario)
    let watch = try fixture.connect(options)
    let heard = Recorder<UInt32>()
    watch.connection.notifications.battery.add { heard.note($0.percent) }

    fixture.stepped.pass(end(of: scenario))
    fixture.run(until: { watch.isConnected && fixture.tag.isConnected }, within: .seconds(90))
    #expect(watch.isConnected)
    let tag = try #require(watch.tag)
    #expect(code(fixture.outcome { try await tag.readBattery() }) == nil)
    heard.entries = []
    try fixture.happen("battery 37")
    fixture.stepped.pass(.milliseconds(200))
    #expect(heard.entries == [37])

    #expect(watch.states.allSatisfy { $0.phase != .disconnected })
    #expect(fixture.tag.violations == [])
    #expect(complaints.entries == [])
    if let expected = Self.consequences[name] {
      #expect(watch.states.filter { $0.phase == .connected }.count >= expected.links)
      #expect(Set(watch.reasons).isSuperset(of: expected.reasons), "\(watch.reasons)")
    }
  }
}
