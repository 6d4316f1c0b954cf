import JacquardWire
import Testing

@testable import TagSimulator

/// Assumptions about real tags.
extension SoftwareTagTests {
  @Test("has actions for all plausible behaviours, the usual ones first") func alternatives() throws {
    for (action, answers) in TagBehaviour.alternatives {
      for (index, answer) in answers.enumerated() {
        let fixture = try SoftwareTagFixture()
        guard case .tag(let change)? = try Scenario.step(parsing: "\(action) \(answer)")?.action else {
          Issue.record("\(action) \(answer) is not an action of a tag")
          continue
        }
        try fixture.tag.perform(change)
        #expect((fixture.tag.profile.behaviour == TagBehaviour()) == (index == 0), "\(action) \(answer)")
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
      let fixture = try SoftwareTagFixture()
      try fixture.tag.perform(.attach(Gear.known[0], component: nil))
      try fixture.tag.perform(.greeting(moment, once: once))
      fixture.connect()
      for request in Example.setUp { fixture.command(request) }
      #expect(fixture.values(.notification).count == 2)
      // This also happens when the program that had subscribed ends.
      for on in [false, true] { fixture.tag.setNotifying(on, on: .notification) }
      for request in Example.setUp { fixture.command(request) }
      #expect(fixture.values(.notification).count == (once ? 0 : 2))
      fixture.tag.linkDown()
      fixture.connect()
      for request in Example.setUp { fixture.command(request) }
      #expect(fixture.values(.notification).count == 2)
    }
  }

  private func storedSize(_ fixture: SoftwareTagFixture) throws -> (status: UInt32?, size: UInt32?) {
    let response = try ask(fixture, 1, 1) {
      $0.dfuStatus.vendorID = 0x1178_30c8
      $0.dfuStatus.productID = 0x283b_e7a0
    }
    return (response?.status, response?.dfuStatus.finalSize)
  }

  @Test("forgets an image when it executes it or when it restarts", arguments: TagBehaviour.ImageRemoval.allCases)
  func imageRemoval(moment: TagBehaviour.ImageRemoval) throws {
    for flashing in TagBehaviour.Flashing.allCases {
      let fixture = try SoftwareTagFixture()
      fixture.setUp()
      fixture.tag.profile.behaviour.imageRemoval = moment
      fixture.tag.profile.behaviour.flashing = flashing
      fixture.tag.profile.behaviour.flashTime = .seconds(3)
      try store([1, 2, 3], fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
      #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 0)
      let stored = try storedSize(fixture)
      if flashing == .busy {
        #expect(stored.status == 10)
      } else {
        #expect(stored.status == 0 && stored.size == (moment == .execute ? 0 : 3))
      }
      fixture.time.advance(by: .milliseconds(2999))
      #expect(fixture.drops == 0)
      fixture.time.advance(by: .milliseconds(1))
      #expect(fixture.drops == 1)
      #expect(fixture.tag.profile.firmware == Version(1, 97, 0))
      #expect(fixture.tag.journal.installed == [[1, 2, 3]])
      fixture.time.advance(by: .seconds(1))
      fixture.setUp()
      #expect(try storedSize(fixture) == (0, 0))
      #expect(fixture.breaches.isEmpty)
    }
  }

  @Test("has no image after a restart that interrupts the installation, if it forgets it at execute")
  func interruptedInstallation() throws {
    for (moment, size) in [(.restart, 3), (.execute, 0)] as [(TagBehaviour.ImageRemoval, UInt32)] {
      let fixture = try SoftwareTagFixture()
      fixture.setUp()
      fixture.tag.profile.behaviour.imageRemoval = moment
      try store([1, 2, 3], fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
      #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == 0)
      try fixture.tag.perform(.reboot)
      fixture.time.advance(by: .seconds(5))
      #expect(fixture.tag.profile.firmware == Version(1, 96, 0))
      fixture.setUp()
      #expect(try storedSize(fixture) == (0, size))
    }
  }

  @Test("installs an image although the link has ended before the response") func installsWithoutLink() throws {
    let fixture = try SoftwareTagFixture()
    fixture.setUp()
    try store([1, 2, 3], fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0)
    fixture.tag.profile.behaviour.latency = .milliseconds(30)
    #expect(try execute(fixture, vendor: 0x1178_30c8, product: 0x283b_e7a0) == nil)
    fixture.tag.linkDown()
    fixture.time.advance(by: .seconds(5))
    #expect(fixture.tag.imageBeingInstalled == nil)
    #expect(fixture.tag.profile.firmware == Version(1, 97, 0))
    #expect(fixture.tag.journal.installed == [[1, 2, 3]])
  }

  @Test("responds to an erase request at the end, if so chosen") func eraseResponse() throws {
    let fixture = try SoftwareTagFixture()
    fixture.tag.profile.behaviour.eraseResponse = .end
    fixture.tag.profile.behaviour.eraseTime = .seconds(15)
    loadMotion(fixture)
    #expect(try ask(fixture, 9, 7) { $0.eraseAllData = WireDataCollectionEraseAllDataRequest() } == nil)
    fixture.time.advance(by: .milliseconds(14_999))
    #expect(packets(fixture, .response).isEmpty)
    fixture.time.advance(by: .milliseconds(1))
    let response = try WireResponse(serializedBytes: try #require(packets(fixture, .response).first))
    #expect(response.status == 0 && response.hasEraseAllData && response.eraseAllData.dcStatus == 0)
    #expect(try notifications(fixture).map(\.errorNotification.errorcode) == [0])
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
  }

  @Test("ends an erase although the link has ended before the response") func eraseWithoutLink() throws {
    let fixture = try SoftwareTagFixture()
    fixture.tag.profile.behaviour.eraseResponse = .end
    loadMotion(fixture)
    try ask(fixture, 9, 7) { $0.eraseAllData = WireDataCollectionEraseAllDataRequest() }
    fixture.tag.linkDown()
    fixture.time.advance(by: .seconds(1))
    #expect(fixture.tag.recorder.status == RecorderStatus.idle)
  }

  @Test("refuses a second hello and begin on a link, if so chosen") func secondHello() throws {
    let fixture = try SoftwareTagFixture { $0.behaviour.secondHello = .refused }
    fixture.setUp()
    #expect(try ask(fixture, 0, 1)?.status == 7)
    #expect(try ask(fixture, 0, 2) { $0.begin.protocol = 2 }?.status == 7)
    #expect(try ask(fixture, 0, 23) { $0.batteryStatusRequest.readBatteryLevel = true }?.status == 0)
    #expect(fixture.breaches.isEmpty)
    fixture.tag.linkDown()
    fixture.connect()
    #expect(try ask(fixture, 0, 1)?.status == 0)
  }

  @Test("keeps its bond when it bonds with another host, or does not") func bonds() throws {
    for number in TagBehaviour.Bonds.allCases {
      let fixture = try SoftwareTagFixture { $0.behaviour.bonds = number }
      var forgotten = 0
      fixture.tag.bondForgotten = { forgotten += 1 }
      fixture.connect()
      fixture.tag.linkEncrypted()
      #expect(throws: TagActionError("no host can pair with the tag now")) { try fixture.tag.perform(.pairElsewhere) }
      fixture.tag.linkDown()
      try fixture.tag.perform(.pairElsewhere)
      #expect(fixture.tag.bonded == (number == .several))
      #expect(forgotten == (number == .several ? 0 : 1))
    }
  }

  @Test("ends each link after some time, if so chosen") func linkTime() throws {
    let fixture = try SoftwareTagFixture { $0.behaviour.linkTime = .seconds(45) }
    for drops in 1...2 {
      fixture.setUp()
      fixture.time.advance(by: .milliseconds(44_999))
      #expect(fixture.tag.isConnected)
      fixture.time.advance(by: .milliseconds(1))
      #expect(fixture.drops == drops)
      #expect(fixture.tag.isAdvertising)
    }
  }
}
