import JacquardWire

/// The tag itself, or gear while it is attached.
public final class Component {
  /// The component as known without a request; `readInfo` updates it.
  public private(set) var info: ComponentInfo
  private let tag: Tag
  private var isDetached = false

  init(_ info: ComponentInfo, of tag: Tag) {
    self.info = info
    self.tag = tag
  }

  private var isTag: Bool { info.id == 0 }

  func detach() { isDetached = true }

  /// Re-reads the component's version and manufacturing ID, and stores them in `info`.
  public func readInfo(deadline: Duration? = nil) async throws(JacquardError) -> ComponentInfo {
    let id = info.id
    let command = TagCommand<WireDeviceInfoResponse>(isTag ? .deviceInfo : .gearInfo, component: id, isRepeatable: true)
    {
      $0.deviceInfo.component = id
    } answer: {
      $0.hasDeviceInfo ? $0.deviceInfo : nil
    }
    info.take(try await inTurn(deadline) { turn throws(JacquardError) in try await turn.send(command) })
    return info
  }

  /// Plays a pattern. Throws `unsupported`, and sends nothing, if the component has no LED.
  public func play(_ pattern: LEDPattern, deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<Void>(isTag ? .ledPattern : .gearLED, component: info.id) {
      $0.ledPatternRequest = pattern.wire
    } answer: { _ in
      ()
    }
    try await inTurn(deadline, .led, "LED") { turn throws(JacquardError) in try await turn.send(command) }
  }

  /// Makes gear vibrate. Throws `unsupported`, and sends nothing, if the component has no vibration motor.
  public func play(_ haptic: Haptic, deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<Void>(.gearHaptic, component: info.id) {
      $0.haptic.frames = haptic.wire
    } answer: { _ in
      ()
    }
    try await inTurn(deadline, .haptics, "vibration motor") { turn throws(JacquardError) in try await turn.send(command)
    }
  }

  /// Sends two requests: the mode of the gear, then the depth of the tag's queue.
  public func setTouchMode(_ mode: TouchMode, deadline: Duration? = nil) async throws(JacquardError) {
    let (capability, name): (Capabilities, String) =
      switch mode {
      case .gesture: (.gestures, "gesture recognition")
      case .continuous: (.touchStream, "touch stream")
      }
    try await inTurn(deadline, capability, name) { turn throws(JacquardError) in try await apply(mode, turn) }
    // The service reports each mode that it has passed on, in the order of all programs' requests.
    if !isDetached, tag.link.reservation.service == nil { tag.gear?.modeWasSet(mode, by: JacquardError.ownProcess) }
  }

  /// Sets the mode after each attachment, whether or not this version knows the gear.
  func begin(in mode: TouchMode) async throws(JacquardError) {
    try await inTurn(nil) { turn throws(JacquardError) in try await apply(mode, turn) }
  }

  private func apply(_ mode: TouchMode, _ turn: CommandTurn) async throws(JacquardError) {
    // The reference SDK requires the payload in the response; gear that responds only with OK has complied as well.
    let command = TagCommand<Void>(.gearData, component: info.id) {
      $0.data.inference = mode == .gesture ? .dataStreamEnable : .dataStreamDisable
      $0.data.touch = mode == .continuous ? .dataStreamEnable : .dataStreamDisable
    } answer: { _ in
      ()
    }
    try await turn.send(command)
    try checkAttached()
    try await turn.send(Tag.setQueueDepth(mode.queueDepth))
  }

  /// If the gear is detached while a command waits for its turn, the command is not sent.
  private func inTurn<Answer>(
    _ deadline: Duration?, _ capability: Capabilities = [], _ name: String = "",
    _ body: (CommandTurn) async throws(JacquardError) -> Answer
  ) async throws(JacquardError) -> Answer {
    do throws(JacquardError) {
      return try await tag.inTurn(deadline) { turn throws(JacquardError) in
        guard info.capabilities.isSuperset(of: capability) else {
          throw JacquardError(.unsupported, "This component has no \(name).")
        }
        try checkAttached()
        return try await body(turn)
      }
    } catch {
      if error.code == .staleTag { try checkAttached() }
      throw error
    }
  }

  private func checkAttached() throws(JacquardError) {
    guard !isDetached else { throw JacquardError(.staleGear, JacquardError.Code.staleGear.text) }
  }
}

/// The library's information about a component.
public struct ComponentInfo: Sendable {
  /// 0: the tag; else a number that is valid for this attachment only.
  public var id: UInt32
  public var vendor: PartID
  public var product: PartID
  /// The product's names and capabilities; nil for a product that this version does not know.
  public var known: KnownGear?
  /// The manufacturing ID; empty if the gear has not reported it.
  public var uuid = ""
  /// Zeros if the gear has not reported it.
  public var firmware = TagInfo.Version(major: 0, minor: 0, point: 0)

  /// Empty for a product that this version does not know.
  public var capabilities: Capabilities { known?.capabilities ?? [] }
}

extension ComponentInfo {
  init(id: UInt32, vendorID: UInt32, productID: UInt32) {
    self.id = id
    vendor = PartID(rawValue: vendorID)
    product = PartID(rawValue: productID)
    known = KnownGear.find(vendor: vendor, product: product)
  }

  /// The tag. The vendor's SDK assumes an LED for every product number of a tag.
  init(tag: TagInfo) {
    self.init(id: 0, vendorID: tag.vendorID, productID: tag.productID)
    known = known ?? KnownGear.tag
    uuid = tag.uuid
    firmware = tag.firmware
  }

  mutating func take(_ response: WireDeviceInfoResponse) {
    uuid = response.uuid
    firmware = TagInfo.Version(
      major: response.firmwareMajor, minor: response.firmwareMinor, point: response.firmwarePoint)
  }
}

/// The kind of data that the gear reports, with the numbers of `jacquard_touch_mode`.
public enum TouchMode: UInt32, CaseIterable, Sendable {
  case gesture = 1
  case continuous = 2

  /// Gestures must not be dropped; only the latest touch sample matters.
  var queueDepth: UInt32 {
    switch self {
    case .gesture: 14
    case .continuous: 2
    }
  }
}
