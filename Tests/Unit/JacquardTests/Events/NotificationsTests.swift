import JacquardWire
import Testing
import TestWorld

@testable import Jacquard

@Suite("Notifications of a connection")
struct NotificationsTests {
  private let log = Log()
  private let notifications: Notifications
  private let heard = Recorder<UInt32>()
  private let warnings = Recorder<String>()
  private let statistics = Statistics()

  init() {
    notifications = Notifications(log: TagLog(log, WorldFixture.identifier), statistics: statistics)
    _ = log.add(upTo: .warning) { [warnings] in warnings.note($0.text) }
    notifications.battery.add { [heard] in heard.note($0.percent) }
  }

  private func receive(level: UInt32?, charging: UInt32? = 2) {
    var notification = WireNotification()
    notification.domain = 0
    notification.opcode = 23
    if let level { notification.batteryStatusNotification.batteryLevel = level }
    if let charging { notification.batteryStatusNotification.chargingStatus = charging }
    receive(notification.packet())
  }

  private func receive(_ packet: [UInt8]) {
    packet.withUnsafeBytes { notifications.receive(ReceivedPacket($0, arrival: 0)) }
  }

  @Test("events during set-up are queued and delivered once, in order, when the connection is ready")
  func kept() {
    notifications.linkBegins()
    receive(level: 10)
    receive(level: 11)
    #expect(heard.entries == [])
    #expect(notifications.lastBattery == nil)
    notifications.linkIsReady()
    #expect(heard.entries == [10, 11])
    notifications.linkIsReady()
    #expect(heard.entries == [10, 11])
  }

  @Test("later events are delivered immediately")
  func live() {
    notifications.linkIsReady()
    receive(level: 10)
    #expect(heard.entries == [10])
    #expect(notifications.lastBattery == Battery(percent: 10, charging: false))
  }

  @Test("the latest 64 events during set-up are kept")
  func bounded() {
    notifications.linkBegins()
    for level: UInt32 in 1...100 { receive(level: level) }
    notifications.linkIsReady()
    #expect(heard.entries == Array(37...100))
    #expect(warnings.entries.count == 36)
  }

  @Test("a new link discards queued events and last values of the old one")
  func newLink() {
    notifications.linkBegins()
    receive(level: 10)
    notifications.linkIsReady()
    notifications.linkBegins()
    #expect(notifications.lastBattery == nil)
    receive(level: 20)
    notifications.linkBegins()
    receive(level: 30)
    notifications.linkIsReady()
    #expect(heard.entries == [10, 30])
  }

  @Test("a battery report without charging status or level is dropped, because neither has a default")
  func incomplete() {
    notifications.linkIsReady()
    receive(level: 50, charging: nil)
    receive(level: nil, charging: 1)
    receive(level: nil, charging: nil)
    #expect(heard.entries == [])
    #expect(notifications.lastBattery == nil)
  }

  @Test(
    "battery values out of range are clamped",
    arguments: [
      (0, 1, Battery(percent: 0, charging: true)), (100, 2, Battery(percent: 100, charging: false)),
      (101, 1, Battery(percent: 100, charging: true)), (UInt32.max, 0, Battery(percent: 100, charging: false)),
      (50, UInt32.max, Battery(percent: 50, charging: false)),
    ] as [(UInt32, UInt32, Battery)])
  func range(_ level: UInt32, _ charging: UInt32, _ battery: Battery) {
    notifications.linkIsReady()
    receive(level: level, charging: charging)
    #expect(notifications.lastBattery == battery)
  }

  @Test("notifications that cannot be decoded are dropped with a warning, during set-up and after")
  func undecodable() {
    notifications.linkBegins()
    receive([0xff])
    notifications.linkIsReady()
    receive([0x0a, 0xff, 0xff])
    #expect(warnings.entries.count == 2)
    #expect(heard.entries == [])
  }

  @Test("a notification without known fields is ignored")
  func foreign() {
    notifications.linkIsReady()
    receive([])
    var empty = WireNotification()
    empty.domain = 99
    empty.opcode = 99
    receive(empty.packet())
    #expect(heard.entries == [])
  }

  @Test("a handler added inside a handler does not receive the same report twice")
  func addedInside() {
    var added = false
    notifications.battery.add { [notifications, heard] _ in
      guard !added else { return }
      added = true
      notifications.battery.add { heard.note($0.percent + 1000) }
    }
    notifications.linkBegins()
    receive(level: 1)
    receive(level: 2)
    notifications.linkIsReady()
    #expect(heard.entries == [1, 2, 1002])
  }
}
