import EventLoop

/// A software tag whose radio is provided by another program: the program connects to a Unix socket, reports what hosts
/// do, and executes what the tag does. It handles advertising, the attribute protocol, pairing and bonds.
public final class Peer {
  public var complain: (String) -> Void = { _ in }

  private let tag: SoftwareTag
  private let loop: EventLoop
  private var listener: UnixListener?
  private var radio: PeerConnection?
  private var isGreeted = false

  public init(_ tag: SoftwareTag) {
    self.tag = tag
    loop = tag.clock.loop
    tag.transmit = { [weak self] characteristic, value in
      self?.radio?.send(.notification(characteristic: characteristic.number, value))
    }
    tag.dropLink = { [weak self] in self?.dropLink() }
    tag.presenceChanged = { [weak self] in self?.sendPresence() }
    tag.bondForgotten = { [weak self] in self?.send(.forgetBonds) }
  }

  public func listen(at path: String) throws {
    listener = try UnixListener(loop, path: path) { [weak self] in self?.accept($0) }
  }

  public func close() {
    listener?.close()
    radio?.close()
    radio = nil
  }

  private func accept(_ descriptor: SharedDescriptor) {
    guard radio == nil else { return complain("a second radio was refused") }
    isGreeted = false
    do {
      radio = try PeerConnection(
        descriptor, loop, received: { [weak self] in self?.take($0) }, ended: { [weak self] in self?.radioLost($0) })
    } catch { complain("the radio: \(error)") }
  }

  private func radioLost(_ problem: String?) {
    if let problem { complain("the radio: \(problem)") }
    radio?.close()
    radio = nil
    tag.linkDown()
  }

  /// The tag sends nothing to a radio before its hello.
  private func send(_ message: PeerMessage) {
    if isGreeted { radio?.send(message) }
  }

  private func sendPresence() {
    let company: [UInt8] = [0xe0, 0x00]
    send(
      .presence(
        .init(
          advertises: tag.advertisesUnlessConnected,
          intervalMilliseconds: UInt16(min(tag.advertisingInterval / .milliseconds(1), 10_240)),
          rssi: Int8(clamping: tag.rssi), pairing: tag.profile.pairing,
          manufacturerData: company + SimulatedSerialNumber.pack(tag.profile.serial), name: tag.advertisedName)))
  }

  /// A tag out of range stops sending, and the host's supervision timeout ends the link; otherwise the tag disconnects.
  private func dropLink() {
    guard radio != nil else { return tag.linkDown() }
    sendPresence()
    send(.hangUp(reason: tag.presence.inRange ? 0x13 : 0x08))
  }

  // MARK: - The radio

  private func take(_ message: PeerMessage) {
    guard isGreeted else { return greet(message) }
    switch message {
    case .linkUp(let mtu, let security) where mtu >= 23:
      tag.linkDown()
      tag.linkUp(capacity: Int(mtu) - 3, encrypted: security.contains(.encrypted))
      if security.contains(.bonded) { tag.linkEncrypted() }
    case .mtu(let mtu) where mtu >= 23: tag.capacityChanged(Int(mtu) - 3)
    case .security(let security): if security.contains(.encrypted) { tag.linkEncrypted() }
    case .subscribe(let token, let number, let on): subscribe(token, number, on)
    case .write(let token, let number, let type, let value):
      guard let characteristic = TagCharacteristic(number: number) else { return radioLost("characteristic \(number)") }
      let error = tag.write(value, to: characteristic, type: type)
      if type == .request { send(.result(token: token, error: error?.rawValue ?? 0)) }
    case .linkDown: tag.linkDown()
    default: radioLost("unexpected message: \(message)")
    }
  }

  private func greet(_ message: PeerMessage) {
    guard case .hello(let version) = message else { return radioLost("it does not begin with its version") }
    isGreeted = true
    send(.hello(version: PeerMessage.version))
    guard version == PeerMessage.version else { return radioLost("it uses version \(version)") }
    send(.attribute(number: 0, properties: 0, uuid: Self.bytes(TagCharacteristic.serviceUUID)))
    for characteristic in TagCharacteristic.allCases {
      send(
        .attribute(
          number: characteristic.number, properties: tag.properties(of: characteristic),
          uuid: Self.bytes(characteristic.uuid)))
    }
    sendPresence()
  }

  private func subscribe(_ token: UInt16, _ number: UInt8, _ on: Bool) {
    guard let characteristic = TagCharacteristic(number: number), characteristic.notifies else {
      return radioLost("a subscription to characteristic \(number)")
    }
    let error = tag.subscriptionError
    // The response to the host's write is sent before the notifications.
    send(.result(token: token, error: error?.rawValue ?? 0))
    if error == nil { tag.setNotifying(on, on: characteristic) }
  }

  private static func bytes(_ uuid: String) -> [UInt8] { TagSimulator.bytes(hex: uuid.filter { $0 != "-" }) ?? [] }
}

extension TagCharacteristic {
  /// Numbered from 1, in the order of the service.
  var number: UInt8 { UInt8((Self.allCases.firstIndex(of: self) ?? 0) + 1) }

  init?(number: UInt8) {
    guard (1...Self.allCases.count).contains(Int(number)) else { return nil }
    self = Self.allCases[Int(number) - 1]
  }
}

extension SoftwareTag {
  /// The properties of a characteristic as in its declaration (Core Specification, volume 3, part G, 3.3.1.1).
  func properties(of characteristic: TagCharacteristic) -> UInt8 {
    let bits: [String: UInt8] = ["write-without-response": 0x04, "write": 0x08, "notify": 0x10]
    return flags(of: characteristic).reduce(0) { $0 | (bits[$1] ?? 0) }
  }
}
