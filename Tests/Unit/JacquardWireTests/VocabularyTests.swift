import JacquardWire
import Testing

@Suite("Numbers and their names")
struct VocabularyTests {
  @Test(
    "gestures",
    arguments: zip(
      [0, 1, 2, 3, 7, 13, 14], ["none", "double-tap", "brush-in", "brush-out", "cover", "brush-up", "brush-down"]))
  func gestures(number: UInt32, name: String) {
    #expect(Gesture(rawValue: number).name == name)
  }

  @Test("an unknown gesture keeps its number") func unknownGesture() {
    #expect(Gesture(rawValue: 99).name == nil)
    #expect("\(Gesture(rawValue: 99))" == "gesture 99")
  }

  @Test("every status of the schema has a name and a meaning", arguments: WireStatus.allCases)
  func statuses(_ status: WireStatus) {
    let open = TagStatus(rawValue: UInt32(status.rawValue))
    #expect(open.name != nil)
    #expect(open.meaning != nil)
    #expect(open.isOK == (status == .ok))
  }

  @Test("status 15, which is not in the schema, has a name; other numbers are kept") func openStatus() {
    #expect(TagStatus(rawValue: 15).name == "low memory")
    #expect(TagStatus(rawValue: 99).name == nil)
    #expect("\(TagStatus(rawValue: 99))" == "status 99")
  }

  @Test("every data collection status has its own name") func collectionStatuses() {
    let names = WireDataCollectionStatus.allCases.map { CollectionStatus(rawValue: UInt32($0.rawValue)).name }
    #expect(names.count == 31)
    #expect(Set(names.compactMap(\.self)).count == 31)
    #expect(CollectionStatus(rawValue: 30).name == "unknown failure")
    #expect(CollectionStatus(rawValue: 31).name == nil)
    #expect(CollectionStatus(rawValue: .max).name == nil)
    #expect(
      (0...7).map { CollectionStatus(rawValue: $0).isError } == [false, false, false, false, true, true, true, true])
  }

  @Test("an opcode has different meanings in different domains") func commands() {
    #expect("\(Command(domain: 0, opcode: 4))" == "device info")
    #expect("\(Command(domain: 8, opcode: 4))" == "gear info")
    #expect("\(Command(domain: 9, opcode: 4))" == "collection list")
    #expect("\(Command(domain: 4, opcode: 33))" == "4/33")
  }

  @Test(
    "accelerometer rates keep their decimal point",
    arguments: zip(0..<12, [0.78, 1.56, 3.12, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600]))
  func accelerometerRates(number: Int, hertz: Double) {
    #expect(AccelerometerRate(rawValue: UInt32(number)).hertz == hertz)
    #expect(AccelerometerRate(hertz: hertz)?.rawValue == UInt32(number))
  }

  @Test("gyroscope rates", arguments: zip(0..<8, [25.0, 50, 100, 200, 400, 800, 1600, 3200]))
  func gyroscopeRates(number: Int, hertz: Double) {
    #expect(GyroscopeRate(rawValue: UInt32(number)).hertz == hertz)
    #expect(GyroscopeRate(hertz: hertz)?.rawValue == UInt32(number))
  }

  @Test("unknown numbers have no value") func outsideTables() {
    #expect(AccelerometerRate(rawValue: 12).hertz == nil)
    #expect(GyroscopeRate(rawValue: 8).hertz == nil)
    #expect(AccelerometerRange(rawValue: 4).gravities == nil)
    #expect(GyroscopeRange(rawValue: .max).degreesPerSecond == nil)
    #expect(AccelerometerRate(hertz: 78) == nil)
    #expect(GyroscopeRate(hertz: .nan) == nil)
  }

  @Test("the presets are the vendor's") func presets() {
    let hertz = [SamplingRate.low, .medium, .high, .veryHigh].map { [$0.accelerometer.hertz, $0.gyroscope.hertz] }
    #expect(hertz == [[25, 25], [100, 200], [400, 800], [1600, 3200]])
  }

  @Test(
    "gear is known by vendor and product together",
    arguments: [
      ("74-a8-ce-54", "8a-66-50-f4", "Trucker Jacket", 0b1110),
      ("87-b4-30-b6", "b7-07-97-2a", "Konnect-i", 0b1110),
      ("fb-57-a1-12", "5c-d8-78-b0", "Cit-e Backpack", 0b1111),
      ("11-78-30-c8", "15-29-c7-5b", "Patch A0", 0b1110),
      ("11-78-30-c8", "09-2f-41-ab", "Patch B0", 0b1111),
      ("11-78-30-c8", "28-3b-e7-a0", "Jacquard Tag", 0b0001),
    ])
  func gear(vendor: String, product: String, name: String, capabilities: UInt32) throws {
    let vendor = try #require(PartID(vendor))
    let product = try #require(PartID(product))
    let gear = try #require(KnownGear.find(vendor: vendor, product: product))
    #expect(gear.productName == name)
    #expect(gear.capabilities.rawValue == capabilities)
    #expect(KnownGear.find(vendor: product, product: vendor) == nil)
  }

  @Test("the IMU module's IDs") func imuModule() {
    #expect("\(IMUModule.vendor)" == "11-78-30-c8")
    #expect("\(IMUModule.product)" == "ef-3e-5b-88")
    #expect("\(IMUModule.module)" == "3d-0b-e7-53")
  }

  @Test("IDs are written and read as text", arguments: [0, 1, 0x0102_0304, 0x1178_30c8, 0xffff_ffff])
  func partIDs(_ number: UInt32) {
    let id = PartID(rawValue: number)
    #expect(PartID("\(id)") == id)
    #expect("\(id)".utf8.count == 11)
    #expect(PartID("\(id)".uppercased()) == id)
  }

  @Test(
    "anything else is not an ID",
    arguments: [
      "", "11-78-30", "11-78-30-c8-00", "117830c8", "11-78-30-c", "+1-78-30-c8", "-1-78-30-c8", "11-78-30-cg",
      "11-78--30-c8", " 11-78-30-c8", "11-78-30-c8 ", "11-78-30-é",
    ])
  func malformedPartIDs(_ text: String) {
    #expect(PartID(text) == nil)
  }

  @Test("the UUIDs share the vendor's base") func uuids() {
    let uuids = [GATT.service, GATT.command, GATT.response, GATT.notification, GATT.rawData]
    #expect(uuids.allSatisfy { $0.hasSuffix("-d165-445c-b0e1-2d6b642ec57b") && $0.hasPrefix("d2f2") })
    #expect(uuids.map { String($0.dropFirst(4).prefix(4)) } == ["bf0d", "eabb", "b8d0", "b8d1", "b8d2"])
  }
}
