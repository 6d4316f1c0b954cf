import JacquardWire

extension Target {
  /// A packet. Decoding in place must give the same result as the general decoder, and decoded messages must be encodable.
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
