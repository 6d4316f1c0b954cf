import JacquardWire

@testable import Jacquard

extension Target {
  /// GATT values as a tag sends them, each preceded by its length, processed as on a link.
  static let values = Target(name: "values") { input in
    var choices = Choices(input)
    let reassembler = Reassembler()
    let notifications = Notifications(log: Log(), statistics: Statistics())
    var told = 0
    notifications.battery.add { told += Int($0.percent) }
    notifications.touches.add { told += Int($0.proximity) + $0.lines.count }
    notifications.gestures.add { told += ($0.gesture.name ?? "").count }
    notifications.rawData.add { told += $0.count }
    notifications.linkBegins()
    while !choices.isEmpty {
      if choices.byte() == 0 { notifications.linkIsReady() }
      choices.bytes().withUnsafeBytes { value in
        reassembler.feed(value) { packet in
          notifications.receive(packet)
          _ = RawDataPacket(packet)?.acknowledgement
          if let response = try? WireResponse(packet: packet) { _ = "\(TagStatus(rawValue: response.status))" }
        }
      }
    }
    let good: [UInt8] = [0xc0, 0x06, 0x08, 0x00, 0x10, 0x01, 0x18, 0x01]
    var joined: [[UInt8]] = []
    good.withUnsafeBytes { value in reassembler.feed(value) { joined.append(Array($0)) } }
    require(joined == [Array(good.dropFirst(2))], "the next good packet is lost")
  }
}
