import JacquardWire

/// The tag itself, or gear while it is attached.
public final class Component {
  public private(set) var info: ComponentInfo
  private let tag: Tag
  private var isDetached = false

  init(_ info: ComponentInfo, of tag: Tag) {
    self.info = info
    self.tag = tag
  }

  private var isTag: Bool { info.id == 0 }

  func detach() { isDetached = true }

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

  public func play(_ pattern: LEDPattern, deadline: Duration? = nil) async throws(JacquardError) {
    let command = TagCommand<Void>(isTag ? .ledPattern : .gearLED, component: info.id) {
      $0.ledPatternRequest = pattern.wire
    } answer: { _ in
      ()
    }
    try await inTurn(deadline, .led, "LED") { turn throws(JacquardError) in try await turn.send(command) }
  }

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
    if !isDetached { tag.gear?.modeWasSet(mode) }
  }

  /// Set after each attachment, whether or not this version knows the gear.
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
