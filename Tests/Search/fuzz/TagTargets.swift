import JacquardWire

@testable import Jacquard

extension Target {
  /// GATT values as a tag sends them, each preceded by its length, processed as on a link.
  static let values = Target(name: "values") { input in
    var choices = Choices(input)
    let reassembler = Reassembler()
    let notifications = Notifications(
      log: TagLog(Log(), TagIdentifier(address: "C0:1A:DA:00:00:00")), statistics: Statistics())
    var told = 0
    notifications.battery.add { told += Int($0.percent) }
    notifications.touches.add { told += Int($0.frame.proximity) + $0.frame.lines.count }
    notifications.gestures.add { told += ($0.gesture.name ?? "").count }
    notifications.raw.packets.add { told += $0.count }
    notifications.linkBegins()
    while !choices.isEmpty {
      if choices.byte() == 0 { notifications.linkIsReady() }
      choices.bytes().withUnsafeBytes { value in
        reassembler.feed(value) { packet in
          notifications.receive(ReceivedPacket(packet, arrival: 0))
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

extension Target {
  /// A packet. Decoding in place must give the same result as the general decoder, and decoded messages must be
  /// encodable.
  static let packets = Target(name: "packets") { packet in
    if let request = try? WireRequest(packet: packet) {
      _ = request.packet()
      _ = request.hasRepairedText(of: Array(packet))
    }
    if let response = try? WireResponse(packet: packet) { _ = response.packet() }
    let general = try? WireNotification(packet: packet)
    _ = general?.packet()
    guard let frequent = FrequentNotification(packet: packet) else { return }
    guard let general else { fatalError("read in place what does not decode") }
    switch frequent {
    case .gesture(let number):
      require(general.hasData && !general.data.hasTouchData, "a gesture beside something else")
      require(general.data.inferenceData.event == number, "another gesture")
    case .touch(let frame):
      let expected = TouchFrame(general.data.touchData)
      require(expected?.sequence == frame.sequence, "another sequence")
      require(expected?.proximity == frame.proximity, "another proximity")
      require((0..<TouchFrame.lineCount).allSatisfy { expected?.lines[$0] == frame.lines[$0] }, "other lines")
    case .battery(let level, let chargingStatus):
      require(general.batteryStatusNotification.batteryLevel == level, "another level")
      require(general.batteryStatusNotification.chargingStatus == chargingStatus, "another charging status")
    }
  }
}
