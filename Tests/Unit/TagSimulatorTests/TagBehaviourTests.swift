import JacquardWire
import Testing

@testable import TagSimulator

/// Assumptions about real tags.
extension SoftwareTagTests {
  @Test("has actions for all plausible behaviours, the usual ones first") func alternatives() throws {
    for (action, answers) in TagBehaviour.alternatives {
      for (index, answer) in answers.enumerated() {
        let bench = try SoftwareTagFixture()
        guard case .tag(let change)? = try Scenario.step(parsing: "\(action) \(answer)")?.action else {
          Issue.record("\(action) \(answer) is not an action of a tag")
          continue
        }
        try bench.tag.perform(change)
        #expect((bench.tag.profile.behaviour == TagBehaviour()) == (index == 0), "\(action) \(answer)")
      }
    }
  }

  @Test("has a table of its assumptions in docs/protocol.md") func documented() throws {
    let text = try #require(InputFile.text(of: repositoryPath("docs/protocol.md")))
    for (action, answers) in TagBehaviour.alternatives {
      let row = try #require(text.split(separator: "\n").first { $0.hasSuffix("`\(action)` |") }, "\(action)")
      for answer in answers { #expect(row.contains("`\(answer)`"), "\(action) \(answer)") }
    }
  }

  @Test("reports battery and gear once per link, or each time", arguments: TagBehaviour.Greeting.allCases)
  func greetsOnce(moment: TagBehaviour.Greeting) throws {
    for once in [true, false] {
      let bench = try SoftwareTagFixture()
      try bench.tag.perform(.attach(Gear.known[0], component: nil))
      try bench.tag.perform(.greeting(moment, once: once))
      bench.connect()
      for request in Example.setUp { bench.command(request) }
      #expect(bench.values(.notification).count == 2)
      // As after the end of the program that had subscribed.
      for on in [false, true] { bench.tag.setNotifying(on, on: .notification) }
      for request in Example.setUp { bench.command(request) }
      #expect(bench.values(.notification).count == (once ? 0 : 2))
      bench.tag.linkDown()
      bench.connect()
      for request in Example.setUp { bench.command(request) }
      #expect(bench.values(.notification).count == 2)
    }
  }

  private func storedSize(_ bench: SoftwareTagFixture) throws -> (status: UInt32?, size: UInt32?) {
    let response = try ask(bench, 1, 1) {
      $0.dfuStatus.vendorID = 0x1178_30c8
      $0.dfuStatus.productID = 0x283b_e7a0
    }
    return (response?.status, response?.dfuStatus.finalSize)
  }

  @Test("forgets an image when it executes it or when it restarts", arguments: TagBehaviour.ImageRemoval.allCases)
  func imageRemoval(moment: TagBehaviour.ImageRemoval) throws {
    for flashing in TagBehaviour.Flashing.allCases {
      let bench = try SoftwareTagFixture()
      bench.setUp()
      for action in [.imageRemoval(moment), .flashing(flashing), .flashTime(.seconds(3))] as [TagAction] {
        try bench.tag.perform(action)
      }
      try store([1, 2, 3], bench, vendor: 0x1178_30c8, product: 0x283b_e7a0)
      #expect(try execute(bench, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 0)
      let stored = try storedSize(bench)
      if flashing == .busy {
        #expect(stored.status == 10)
      } else {
        #expect(stored.status == 0 && stored.size == (moment == .execute ? 0 : 3))
      }
      bench.time.advance(by: .milliseconds(2999))
      #expect(bench.drops == 0)
      bench.time.advance(by: .milliseconds(1))
      #expect(bench.drops == 1)
      #expect(bench.tag.profile.firmware == Version(1, 97, 0))
      #expect(bench.tag.journal.installed == [[1, 2, 3]])
      bench.time.advance(by: .seconds(1))
      bench.setUp()
      #expect(try storedSize(bench) == (0, 0))
      #expect(bench.breaches.isEmpty)
    }
  }

  @Test("has no image after a restart that interrupts the installation, if it forgets it at execute")
  func interruptedInstallation() throws {
    for (moment, size) in [(.restart, 3), (.execute, 0)] as [(TagBehaviour.ImageRemoval, UInt32)] {
      let bench = try SoftwareTagFixture()
      bench.setUp()
      try bench.tag.perform(.imageRemoval(moment))
      try store([1, 2, 3], bench, vendor: 0x1178_30c8, product: 0x283b_e7a0)
      #expect(try execute(bench, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 0)
      try bench.tag.perform(.reboot)
      bench.time.advance(by: .seconds(5))
      #expect(bench.tag.profile.firmware == Version(1, 96, 0))
      bench.setUp()
      #expect(try storedSize(bench) == (0, size))
    }
  }

  @Test("installs an image although the link has ended before the response") func installsWithoutLink() throws {
    let bench = try SoftwareTagFixture()
    bench.setUp()
    try store([1, 2, 3], bench, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    try bench.tag.perform(.latency(.milliseconds(30)))
    #expect(try execute(bench, vendor: 0x1178_30c8, product: 0x283b_e7a0) == nil)
    bench.tag.linkDown()
    bench.time.advance(by: .seconds(5))
    #expect(bench.tag.imageBeingInstalled == nil)
    #expect(bench.tag.profile.firmware == Version(1, 97, 0))
    #expect(bench.tag.journal.installed == [[1, 2, 3]])
  }

  @Test("responds to an erase request at the end, if so chosen") func eraseResponse() throws {
    let bench = try SoftwareTagFixture()
    try bench.tag.perform(.motion(.eraseResponse(.end)))
    try bench.tag.perform(.motion(.eraseTime(.seconds(15))))
    loadMotion(bench)
    #expect(try ask(bench, 9, 7) { $0.eraseAllData = WireDataCollectionEraseAllDataRequest() } == nil)
    bench.time.advance(by: .milliseconds(14_999))
    #expect(packets(bench, .response).isEmpty)
    bench.time.advance(by: .milliseconds(1))
    let response = try WireResponse(serializedBytes: try #require(packets(bench, .response).first))
    #expect(response.status == 0 && response.hasEraseAllData && response.eraseAllData.dcStatus == 0)
    #expect(try notifications(bench).map(\.errorNotification.errorcode) == [0])
    #expect(bench.tag.recorder.status == RecorderStatus.idle)
  }

  @Test("ends an erase although the link has ended before the response") func eraseWithoutLink() throws {
    let bench = try SoftwareTagFixture()
    try bench.tag.perform(.motion(.eraseResponse(.end)))
    loadMotion(bench)
    try ask(bench, 9, 7) { $0.eraseAllData = WireDataCollectionEraseAllDataRequest() }
    bench.tag.linkDown()
    bench.time.advance(by: .seconds(1))
    #expect(bench.tag.recorder.status == RecorderStatus.idle)
  }

  @Test("refuses a second hello and begin on a link, if so chosen") func secondHello() throws {
    let bench = try SoftwareTagFixture { $0.behaviour.secondHello = .refused }
    bench.setUp()
    #expect(try ask(bench, 0, 1)?.status == 7)
    #expect(try ask(bench, 0, 2) { $0.begin.protocol = 2 }?.status == 7)
    #expect(try ask(bench, 0, 23) { $0.batteryStatusRequest.readBatteryLevel = true }?.status == 0)
    #expect(bench.breaches.isEmpty)
    bench.tag.linkDown()
    bench.connect()
    #expect(try ask(bench, 0, 1)?.status == 0)
  }

  @Test("keeps its bond when it bonds with another host, or does not") func bonds() throws {
    for number in TagBehaviour.Bonds.allCases {
      let bench = try SoftwareTagFixture { $0.behaviour.bonds = number }
      var forgotten = 0
      bench.tag.bondForgotten = { forgotten += 1 }
      bench.connect()
      bench.tag.linkEncrypted()
      #expect(throws: TagActionError("no host can pair with the tag now")) { try bench.tag.perform(.pairElsewhere) }
      bench.tag.linkDown()
      try bench.tag.perform(.pairElsewhere)
      #expect(bench.tag.bonded == (number == .several))
      #expect(forgotten == (number == .several ? 0 : 1))
    }
  }

  @Test("ends each link after some time, if so chosen") func linkTime() throws {
    let bench = try SoftwareTagFixture { $0.behaviour.linkTime = .seconds(45) }
    for drops in 1...2 {
      bench.setUp()
      bench.time.advance(by: .milliseconds(44_999))
      #expect(bench.tag.isConnected)
      bench.time.advance(by: .milliseconds(1))
      #expect(bench.drops == drops)
      #expect(bench.tag.isAdvertising)
    }
  }
}
