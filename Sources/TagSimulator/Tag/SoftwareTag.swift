import EventLoop

/// A Jacquard tag in software: strict about what a host writes, byte-exact in its responses.
///
/// It does no I/O. Its owner reports what the radio does (`linkUp`, `write`, ...) and executes its requests through
/// `transmit`, `dropLink` and `presenceChanged`. Its clock is its only source of time, so in a test nothing happens
/// until the test advances the clock.
public final class SoftwareTag {
  /// Events that scenarios can wait for.
  public enum Milestone: String, CaseIterable, Sendable {
    case connected
    case subscribed
    case begun
    case ready
    case disconnected
  }

  public let clock: SimulationClock
  public internal(set) var profile: TagProfile

  /// Sends a value to the host as a notification of a characteristic.
  public var transmit: (TagCharacteristic, [UInt8]) -> Void = { _, _ in }
  /// Ends the link from the tag's side; `linkDown` follows.
  public var dropLink: () -> Void = {}
  /// Advertising, range, name or signal strength has changed.
  public var presenceChanged: () -> Void = {}
  /// The tag has deleted its side of every bond.
  public var bondForgotten: () -> Void = {}
  public var violated: (Violation) -> Void = { _ in }
  public var reached: (Milestone) -> Void = { _ in }
  /// Called for every value sent or received.
  public var overheard: (_ fromHost: Bool, TagCharacteristic, [UInt8]) -> Void = { _, _, _ in }

  public private(set) var violations: [Violation] = []
  public internal(set) var journal = TagJournal()

  var session: TagSession?
  private var sessionCount = 0
  lazy var outbox = Outbox(clock: clock) { [weak self] characteristic, value in
    self?.overheard(false, characteristic, value)
    self?.transmit(characteristic, value)
  }
  var reactions: [Reaction] = []

  // The physical tag.
  var presence = Presence()
  var battery = SimulatedBattery()
  var attachment: Attachment?
  var lastComponentID: UInt32 = 100
  /// Whether a person's stroke is in progress.
  var isStroked = false
  var strokeCount: UInt64 = 0

  // State that persists across links.
  var configuration: SimulatedConfiguration
  var customConfiguration = CustomConfiguration()
  var modules = ModuleShelf()
  var recorder = DataRecorder()
  var downloads = RawSender()
  var firmware = FirmwareStore()
  var bonded = false

  public init(profile: TagProfile, clock: SimulationClock) {
    self.profile = profile
    self.clock = clock
    configuration = SimulatedConfiguration(name: profile.name)
  }

  // MARK: - The radio

  public var isConnected: Bool { session != nil }

  /// The address in its advertisements.
  public var advertisedAddress: String {
    guard profile.behaviour.address == .private else { return profile.address }
    let quarter = clock.now / .seconds(15 * 60)
    let digits = hex([0x40, UInt8(truncatingIfNeeded: Int(quarter))])
    return digits.prefix(2) + ":" + digits.suffix(2) + profile.address.dropFirst(5)
  }

  /// Whether a scanning host can receive the tag.
  public var isAdvertising: Bool { advertisesUnlessConnected && !isConnected }

  public var advertisesUnlessConnected: Bool { presence.advertises && isReachable }

  /// Whether the tag is awake and in range.
  public var isReachable: Bool { presence.inRange && !presence.asleep && !presence.rebooting }

  public var advertisedName: String { configuration.ble.customAdvName }
  public var rssi: Int16 { presence.rssi }
  public var advertisingInterval: Duration { presence.interval }

  public var offersWriteRequest: Bool { profile.firmware >= Version(1, 43, 0) }

  /// The tag requires an encrypted link, and this link is not encrypted.
  var demandsEncryption: Bool { profile.requiresBond && session?.isEncrypted != true }

  /// A host has connected. `capacity` is the maximum value length with the negotiated MTU.
  public func linkUp(capacity: Int, encrypted: Bool = false) {
    sessionCount += 1
    session = TagSession(
      number: sessionCount, capacity: min(capacity, FragmentCutter.largestFragment), isEncrypted: encrypted,
      lastUse: clock.now)
    journal.links += 1
    watchForIdleness()
    if let time = profile.behaviour.linkTime { scheduleIfLinked(after: time) { [weak self] in self?.dropLink() } }
    presenceChanged()
    reached(.connected)
  }

  /// A larger MTU has been negotiated on a link that is already in use.
  func capacityChanged(_ capacity: Int) { session?.capacity = min(capacity, FragmentCutter.largestFragment) }

  /// The link has ended, for any reason.
  public func linkDown() {
    guard session != nil else { return }
    session = nil
    outbox.clear()
    endSessionWork()
    presenceChanged()
    reached(.disconnected)
  }

  /// The host has written a characteristic's client configuration descriptor.
  public func setNotifying(_ on: Bool, on characteristic: TagCharacteristic) {
    guard characteristic.notifies, session != nil else { return }
    if on { session?.notifying.insert(characteristic) } else { session?.notifying.remove(characteristic) }
    guard on else { return }
    if characteristic == .notification { greet(at: .subscribed) }
    if session?.notifying.count == TagCharacteristic.notifying.count { reached(.subscribed) }
  }

  /// The error returned to a host's write to a client configuration descriptor, instead of executing it.
  var subscriptionError: AttributeError? {
    profile.requiresBond && session?.isEncrypted != true ? .insufficientAuthentication : nil
  }

  public func linkEncrypted() {
    bonded = true
    session?.isEncrypted = true
  }

  /// The host has written a value. Returns the attribute protocol's result for a request.
  @discardableResult
  public func write(_ value: [UInt8], to characteristic: TagCharacteristic, type: WriteType) -> AttributeError? {
    guard session != nil else { return nil }
    overheard(true, characteristic, value)
    guard characteristic == .command || characteristic == .rawData else {
      violate(.notWritable, "\(characteristic)", bytes: value)
      return .writeNotPermitted
    }
    if type == .request, !offersWriteRequest {
      violate(.writeTypeNotOffered, "\(type.rawValue) on \(characteristic)", bytes: value)
      return .writeNotPermitted
    }
    if demandsEncryption { return .insufficientAuthentication }
    let missing = TagCharacteristic.notifying.filter { session?.notifying.contains($0) != true }
    if !missing.isEmpty {
      violate(.writeWithoutNotify, missing.map { "\($0)" }.joined(separator: ", "), bytes: value)
    }
    session?.lastUse = clock.now
    take(value, from: characteristic)
    return nil
  }

  private func take(_ value: [UInt8], from characteristic: TagCharacteristic) {
    guard var session else { return }
    let outcome: FragmentJoiner.Outcome
    if characteristic == .command {
      outcome = session.commandJoiner.take(value, capacity: session.capacity)
    } else {
      outcome = session.rawJoiner.take(value, capacity: session.capacity)
    }
    self.session = session
    switch outcome {
    case .incomplete: break
    case .breach(let violation): violate(violation)
    case .packet(let packet): characteristic == .command ? takeRequest(packet) : takeRawPacket(packet)
    }
  }

  // MARK: - Helpers for the command files

  func violate(_ kind: Violation.Kind, _ detail: String = "", bytes: [UInt8] = []) {
    violate(Violation(kind, detail, bytes: bytes))
  }

  func violate(_ violation: Violation) {
    violations.append(violation)
    violated(violation)
  }

  /// Runs `work` after `delay` if the current link is still up then.
  @discardableResult
  func scheduleIfLinked(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
    let number = session?.number
    return clock.schedule(after: delay) { [weak self] in
      guard let self, let session = self.session, session.number == number else { return }
      work()
    }
  }

  /// Fragments a packet to the session's capacity and passes it to the radio, if the host is subscribed.
  func send(_ packet: [UInt8], on characteristic: TagCharacteristic) {
    guard let session, session.notifying.contains(characteristic) else {
      journal.unheard += 1
      return
    }
    var values = FragmentCutter.cut(
      packet, capacity: session.capacity, counter: profile.behaviour.fragmentCounter == .sixteen ? 0x0f : 0x3f)
    if let fault = presence.nextFault[characteristic] {
      presence.nextFault[characteristic] = nil
      values = fault.applied(to: values)
    }
    let depth = characteristic == .notification ? Int(configuration.ble.notifQueueDepth) : nil
    journal.overflowed += outbox.add(values, on: characteristic, depth: depth)
  }

  private func watchForIdleness() {
    guard let session else { return }
    let idle = clock.now - session.lastUse
    scheduleIfLinked(after: profile.sleepAfter - idle) { [weak self] in
      guard let self, let session = self.session else { return }
      if self.clock.now - session.lastUse < self.profile.sleepAfter { return self.watchForIdleness() }
      // While a module is active, wake-on-motion is off, so the tag does not fall asleep either.
      if self.modules.isAnyEnabled { return }
      self.presence.asleep = true
      self.dropLink()
    }
  }
}
