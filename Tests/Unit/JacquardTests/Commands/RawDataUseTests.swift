import JacquardWire
import TestWorld
import Testing

@testable import Jacquard
@testable import TagSimulator

@Suite("The raw data characteristic")
struct RawDataUseTests {
  private let fixture: WorldFixture
  private let watch: ConnectionWatch
  private let tag: Jacquard.Tag
  private let packets = Recorder<[UInt8]>()
  private let values = Recorder<[UInt8]>()

  init() throws {
    fixture = try WorldFixture()
    watch = try fixture.connected()
    let tag = try #require(watch.tag)
    self.tag = tag
    watch.connection.notifications.raw.packets.add { [packets] in packets.note(Array($0)) }
    watch.connection.notifications.raw.values.add { [values] in values.note(Array($0.bytes)) }
    try fixture.outcome { [tag] in
      try await tag.load(
        Module(
          vendorID: IMUModule.vendor.rawValue, productID: IMUModule.product.rawValue,
          moduleID: IMUModule.module.rawValue))
    }.get()
  }

  @discardableResult
  private func exchange(_ command: Command, _ fill: (inout WireRequest) -> Void = { _ in }) throws -> WireResponse {
    var request = WireRequest(command)
    fill(&request)
    return try fixture.outcome { [tag, request] in try await tag.exchange(request) }.get()
  }

  @discardableResult
  private func start(mode: UInt32?) throws -> UInt32 {
    try exchange(.collectionStart) {
      $0.start.metadata = .with {
        $0.campaignID = "c"
        $0.sessionID = "s"
        $0.trialID = "t"
        $0.subjectID = "u"
        $0.productID = "p"
        if let mode { $0.mode = mode }
        $0.sensorIds = [0]
      }
    }.start.dcStatus
  }

  private func stop() throws { try exchange(.collectionStop) { $0.stop.isError = false } }

  private func download(_ trial: String) throws -> [UInt8] {
    let before = packets.entries.count
    try exchange(.collectionData) {
      $0.trialData = .with {
        $0.campaignID = "jqCampaign"
        $0.sessionID = "jqSession"
        $0.trialID = trial
        $0.subjectID = "jqSession"
        $0.productID = "jqProduct"
        $0.sensorID = 0
        $0.offset = 0
      }
    }
    fixture.stepped.pass(.seconds(10))
    return Array(packets.entries[before...].joined())
  }

  /// Checks that packets are delivered and acknowledged.
  private func expectPackets(_ payload: UInt8) throws {
    let acknowledged = fixture.tag.journal.acknowledged
    try fixture.happen("raw-packet \(payload) 0\(payload)")
    #expect(packets.entries.last == [payload])
    #expect(fixture.tag.journal.acknowledged == acknowledged + 1)
  }

  @Test("carries streams that are neither joined nor acknowledged") func stream() throws {
    #expect(try start(mode: 0) == 1)
    fixture.stepped.pass(.seconds(2))
    #expect(values.entries.count == 16)
    #expect(packets.entries == [])
    #expect(fixture.tag.journal.rawPackets == [])
    try stop()
    try expectPackets(5)
    #expect(fixture.tag.violations == [])
  }

  @Test("carries packets after a stream was refused") func refused() throws {
    try fixture.happen("storage full")
    #expect(try start(mode: 0) == 6)
    try expectPackets(5)
    try fixture.happen("on request recording-start once: status 2")
    try start(mode: 0)
    try expectPackets(6)
  }

  @Test("still carries the stream after a second one was refused") func second() throws {
    try start(mode: 0)
    #expect(try start(mode: 0) == 5)
    fixture.stepped.pass(.seconds(1))
    #expect(packets.entries == [])
    #expect(fixture.tag.journal.rawPackets == [])
  }

  @Test("carries packets while the tag records") func recording() throws {
    #expect(try start(mode: 1) == 1)
    try expectPackets(5)
  }

  @Test("carries packets after the motion module was unloaded") func unloaded() throws {
    try start(mode: 0)
    try exchange(.unloadModule) {
      $0.unloadModule.module = .with {
        $0.vendorID = IMUModule.vendor.rawValue
        $0.productID = IMUModule.product.rawValue
        $0.moduleID = IMUModule.module.rawValue
      }
    }
    try expectPackets(5)
  }

  @Test("carries packets after the tag reported that it no longer streams") func ended() throws {
    try start(mode: 0)
    fixture.stepped.pass(.seconds(1))
    fixture.tag.endSessionWork()
    try exchange(.collectionStatus) { $0.status = WireDataCollectionStatusRequest() }
    try expectPackets(5)
  }

  @Test("carries packets on the link after the one with the stream") func nextLink() throws {
    try start(mode: 0)
    try fixture.happen("drop link")
    fixture.run(until: { watch.isConnected && watch.tag !== tag })
    fixture.settle()
    try expectPackets(5)
  }

  @Test("carries the whole download if the tag numbers the packets of each one from 0") func restartedNumbers() throws {
    for line in ["packet-numbers restart", "session a samples 10", "session b samples 20", "session c samples 70"] {
      try fixture.happen(line)
    }
    let files = fixture.tag.recorder.sessions.map(\.file)
    #expect(try ["a", "b", "c"].map(download) == files)
    #expect(try ["b", "a"].map(download) == [files[1], files[0]])
    #expect(fixture.tag.violations == [])
  }

  @Test("carries the whole download after the tag did not acknowledge a packet") func unacknowledged() throws {
    fixture.tag.addSession(
      .with {
        $0.campaignID = "jqCampaign"
        $0.sessionID = "jqSession"
        $0.trialID = "a"
        $0.subjectID = "jqSession"
        $0.productID = "jqProduct"
      }, file: [0x41])
    // This tag ignores a packet that it mistakes for an acknowledgement.
    try fixture.happen("mute on")
    try fixture.outcome { [tag] in try await tag.sendRaw([7, 0x41]) }.get()
    fixture.stepped.pass(.seconds(1))
    #expect(try download("a") == [0x41])
  }

  @Test("does not take copies of an acknowledgement for packets", arguments: [1, 3]) func copies(_ others: Int) throws {
    for program in 1...others { try fixture.happen("foreign \(program) subscribe") }
    try fixture.outcome { [tag] in try await tag.sendRaw([7, 1]) }.get()
    fixture.stepped.pass(.seconds(1))
    #expect(packets.entries == [])
    #expect(fixture.tag.journal.rawPackets == [[7, 1]])
    try expectPackets(5)
  }
}
