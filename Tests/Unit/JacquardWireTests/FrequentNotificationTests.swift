import TestWorld
import Testing

@testable import JacquardWire

@Suite("Frequent notifications are decoded in place")
struct FrequentNotificationTests {
  /// The invariant for any bytes: a packet that is decoded in place has the same values with the general decoder.
  private func expectAgreement(_ packet: [UInt8]) {
    packet.withUnsafeBytes { bytes in
      guard let frequent = FrequentNotification(packet: bytes) else { return }
      guard let general = try? WireNotification(packet: bytes) else {
        Issue.record("read in place what does not decode: \(packet)")
        return
      }
      switch frequent {
      case .gesture(let number):
        #expect(general.hasData && general.data.hasInferenceData && !general.data.hasTouchData)
        #expect(general.data.inferenceData.hasEvent && general.data.inferenceData.event == number)
      case .touch(let frame):
        #expect(general.hasData && general.data.hasTouchData && !general.data.hasInferenceData)
        let expected = TouchFrame(general.data.touchData)
        #expect(expected?.sequence == frame.sequence && expected?.proximity == frame.proximity)
        #expect((0..<TouchFrame.lineCount).allSatisfy { expected?.lines[$0] == frame.lines[$0] })
      case .battery(let level, let chargingStatus):
        #expect(general.hasBatteryStatusNotification && !general.hasData)
        #expect(general.batteryStatusNotification.batteryLevel == level)
        #expect(general.batteryStatusNotification.chargingStatus == chargingStatus)
      }
      #expect(!general.hasAttached && !general.hasLoadModuleNotif)
    }
  }

  private static let gesture: [UInt8] = [
    0x08, 0x08, 0x10, 0x07, 0x18, 0x65, 0xaa, 0x39, 0x04, 0x0a, 0x02, 0x08, 0x07,
  ]
  private static let touch: [UInt8] = [
    0x08, 0x08, 0x10, 0x07, 0x18, 0x65, 0xaa, 0x39, 0x13, 0x12, 0x11, 0x20, 0x01, 0x3a, 0x0d, 2, 1, 2, 3, 4, 5, 6, 7, 8,
    9, 10, 11, 12,
  ]
  private static let battery: [UInt8] = [
    0x08, 0x00, 0x10, 0x17, 0x18, 0x00, 0xca, 0x07, 0x04, 0x08, 0x32, 0x10, 0x02,
  ]

  @Test("a gesture, a touch and a battery level, as sent by tags, are decoded in place")
  func plainForms() {
    Self.gesture.withUnsafeBytes {
      guard case .gesture(7)? = FrequentNotification(packet: $0) else {
        Issue.record("not read in place")
        return
      }
    }
    Self.touch.withUnsafeBytes {
      guard case .touch(let frame)? = FrequentNotification(packet: $0) else {
        Issue.record("not read in place")
        return
      }
      #expect(frame.sequence == 1 && frame.proximity == 2 && frame.lines[11] == 12)
    }
    Self.battery.withUnsafeBytes {
      guard case .battery(50, 2)? = FrequentNotification(packet: $0) else {
        Issue.record("not read in place")
        return
      }
    }
  }

  @Test("anything else is decoded by the general decoder")
  func otherForms() {
    let others: [[UInt8]] = [
      [], [0x08, 0x00],
      Self.battery + [0x20, 0x01],  // an unknown field
      Self.battery + Self.battery,  // twice
      Self.gesture + [0xca, 0x07, 0x04, 0x08, 0x32, 0x10, 0x02],  // a gesture and a battery
      [0xea, 0x06, 0x02, 0x08, 0x00],  // attached
    ]
    for packet in others {
      packet.withUnsafeBytes { bytes in #expect(FrequentNotification(packet: bytes) == nil) }
    }
  }

  @Test("a truncated or changed packet is decoded as by the general decoder, or left to it")
  func damage() {
    for packet in [Self.gesture, Self.touch, Self.battery] {
      for count in 0...packet.count { expectAgreement(Array(packet.prefix(count))) }
      for index in packet.indices {
        for value in UInt8.min...UInt8.max {
          var damaged = packet
          damaged[index] = value
          expectAgreement(damaged)
        }
      }
    }
  }

  @Test("random recombinations of parts are decoded as by the general decoder", arguments: 1...4)
  func storm(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let pieces: [[UInt8]] = [
      [0x08, 0x08], [0x10, 0x07], [0x18, 0x65], [0xaa, 0x39, 0x04, 0x0a, 0x02, 0x08, 0x07],
      [0xca, 0x07, 0x02, 0x08, 0x32],
      [0xca, 0x07, 0x04, 0x08, 0x32, 0x10, 0x02], [0xaa, 0x39, 0x06, 0x0a, 0x02, 0x08, 0x07, 0x18, 0x01],
      [0xaa, 0x39, 0x00], [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f], [0x08, 0xff, 0xff, 0xff, 0xff, 0x0f],
      [0x12, 0x00],
    ]
    for _ in 0..<5000 {
      let count = Int.random(in: 1...5, using: &random)
      expectAgreement((0..<count).flatMap { _ in pieces.randomElement(using: &random) ?? [] })
    }
  }
}
