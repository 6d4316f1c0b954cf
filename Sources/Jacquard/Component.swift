import JacquardWire

/// The tag itself, or a piece of gear for as long as it is attached.
public final class Component {
  public private(set) var info: ComponentInfo
  private let tag: Tag
  private var isDetached = false
  /// Hears of each mode that was set for the caller.
  var onTouchMode: (TouchMode) -> Void = { _ in }

  init(_ info: ComponentInfo, of tag: Tag) {
    self.info = info
    self.tag = tag
  }

  private var isTag: Bool { info.id == 0 }

  func detach() { isDetached = true }

  public func readInfo(deadline: Duration? = nil) async throws -> ComponentInfo {
    let id = info.id
    let response = try await send(
      TagCommand(isTag ? .deviceInfo : .gearInfo, component: id, isRepeatable: true) {
        $0.deviceInfo.component = id
      } answer: {
        $0.hasDeviceInfo ? $0.deviceInfo : nil
      }, deadline)
    info.take(response)
    return info
  }

  public func play(_ pattern: LEDPattern, deadline: Duration? = nil) async throws {
    try require(.led, "LED")
    let command = TagCommand<Void>(isTag ? .ledPattern : .gearLED, component: info.id) {
      $0.ledPatternRequest = pattern.wire
    } answer: { _ in
      ()
    }
    try await send(command, deadline)
  }

  public func play(_ haptic: Haptic, deadline: Duration? = nil) async throws {
    try require(.haptics, "vibration motor")
    let command = TagCommand<Void>(.gearHaptic, component: info.id) {
      $0.haptic.frames = haptic.wire
    } answer: { _ in
      ()
    }
    try await send(command, deadline)
  }

  /// Two requests: what the gear reports, then how much of it the tag queues.
  public func setTouchMode(_ mode: TouchMode, deadline: Duration? = nil) async throws {
    switch mode {
    case .gesture: try require(.gestures, "gesture recognition")
    case .continuous: try require(.touchStream, "touch stream")
    }
    try await apply(mode, deadline)
    if !isDetached { onTouchMode(mode) }
  }

  /// What follows every attachment, whether or not this version knows the gear.
  func begin(in mode: TouchMode) async throws { try await apply(mode, nil) }

  private func apply(_ mode: TouchMode, _ deadline: Duration?) async throws {
    // The reference asks for the payload in the answer; gear that says no more than OK has obeyed as well.
    let command = TagCommand<Void>(.gearData, component: info.id) {
      $0.data.inference = mode == .gesture ? .dataStreamEnable : .dataStreamDisable
      $0.data.touch = mode == .continuous ? .dataStreamEnable : .dataStreamDisable
    } answer: { _ in
      ()
    }
    try await send(command, deadline)
    try await tag.setQueueDepth(mode.queueDepth, deadline: deadline)
  }

  private func require(_ capability: Capabilities, _ name: String) throws {
    guard info.capabilities.contains(capability) else {
      throw JacquardError(.unsupported, "This component has no \(name).")
    }
  }

  private func send<Answer>(_ command: TagCommand<Answer>, _ deadline: Duration?) async throws -> Answer {
    guard !isDetached else { throw JacquardError(.staleGear, JacquardError.Code.staleGear.text) }
    return try await tag.send(command, deadline)
  }
}
