import DBus
import EventLoop

/// `org.bluez.GattCharacteristic1` as last signalled.
public final class GattCharacteristic: BlueZObject {
  /// How a value is written: the tag acknowledges a `request`, but not a `command`.
  public enum WriteType: String, Sendable {
    case request, command
  }

  /// The UUID in lower case; empty until BlueZ has reported it.
  public private(set) var uuid = ""
  private(set) var servicePath = ""
  /// The permitted operations in BlueZ's words, such as `notify` and `write-without-response`.
  public private(set) var flags: Set<String> = []
  /// Whether notifications are enabled on the tag, by any program.
  public private(set) var notifying = false
  var canNotify: Bool { !flags.isDisjoint(with: ["notify", "indicate"]) }
  /// Completes when changes arrive, if this was exported while its device was followed.
  var followed: Completion<Void, BlueZError>?
  /// The ATT MTU of the link; nil before BlueZ 5.62.
  public private(set) var mtu: UInt16?

  var onValue: ((UnsafeRawBufferPointer, _ mayBeCopy: Bool) -> Void)? {
    didSet {
      cache?.listen(self, onValue != nil)
      if onValue == nil { reader = nil }
    }
  }

  private var canRepeat: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  private var onCopies: ((_ dropped: UInt64, _ doubtful: UInt64, _ sessions: Int) -> Void)?
  private var copies = CopyFilter()
  private var reader: InPlaceReader?
  private var writes: [WriteType: BytesCall] = [:]

  /// Begins to receive values, in place of an earlier receiver.
  ///
  /// - Parameters:
  ///   - canRepeat: whether the tag may send this value twice in a row.
  ///   - onCopies: receives the effects of other programs' subscriptions: dropped copies, values that may be or were
  ///     treated as copies, and the number of signals for each value.
  ///   - onValue: receives each notified value, synchronously and without a copy: the bytes are valid during the call.
  ///     The value may be a copy of the previous one.
  public func listen(
    canRepeat: @escaping (UnsafeRawBufferPointer) -> Bool,
    onCopies: @escaping (_ dropped: UInt64, _ doubtful: UInt64, _ sessions: Int) -> Void,
    onValue: @escaping (UnsafeRawBufferPointer, _ mayBeCopy: Bool) -> Void
  ) {
    (self.canRepeat, self.onCopies) = (canRepeat, onCopies)
    self.onValue = onValue
  }

  /// Values are no longer received.
  public func stopListening() { (onValue, onCopies) = (nil, nil) }

  /// - Parameter value: the value that has just been signalled.
  func readInPlace(_ value: UnsafeRawBufferPointer, _ traffic: PeerTraffic, _ connection: BusConnection) {
    guard onValue != nil, !isGone else { return }
    reader = connection.readInPlace(value) { [unowned self, unowned traffic] value, serial in
      signalled(value, serial: serial, elsewhere: traffic.elsewhere)
    }
  }

  func signalled(_ value: UnsafeRawBufferPointer, serial: UInt32, elsewhere: UInt32) {
    let verdict = copies.judge(value, serial: serial, elsewhere: elsewhere, canRepeat: canRepeat)
    if !copies.isQuiet { probeForCopies() }
    switch verdict {
    case .value: onValue?(value, false)
    case .possibleCopy: onValue?(value, true)
    case .copy: break
    }
  }

  override func remove() {
    super.remove()
    reader = nil
  }

  private func probeForCopies() {
    if copies.takeProbe() {
      cache?.ask { [weak self] in
        self?.copies.answered(byPeer: $0)
        self?.reportCopies()
      }
    }
    reportCopies()
  }

  private func reportCopies() {
    let (dropped, doubtful) = copies.takeCounts()
    if dropped > 0 || doubtful > 0 { onCopies?(dropped, doubtful, copies.sessions) }
  }

  override func apply(_ property: String, _ value: Value) {
    switch property {
    case "UUID": if let value = value.asString { uuid = value.lowercased() }
    case "Service": servicePath = value.asObjectPath ?? servicePath
    case "Flags": if let value = value.asStrings { flags = Set(value) }
    case "Notifying":
      let before = notifying
      notifying = value.asBool ?? notifying
      if before, !notifying { copies.silenced() }
    case "MTU": mtu = value.asInteger() ?? mtu
    default: break
    }
  }

  /// Whether bluetoothd may have a session of this bus connection: from the call until `stopNotifyWithoutWaiting`.
  private(set) var mayHaveSession = false
  /// The reply to StartNotify has not been seen: bluetoothd may have carried it out after it exported the object again.
  private(set) var sessionIsUnconfirmed = false
  /// The session that bluetoothd may have started here for an object with the same path.
  private var mayHaveInheritedSession = false

  func inheritSession() { mayHaveInheritedSession = true }

  /// Starts a session, which BlueZ keeps per bus connection, even across links. It replies `InProgress` while the
  /// session is not restored, and may reply with success before the tag has accepted it; the property shows the actual
  /// state.
  public func startNotify(deadline: Duration) async throws(BlueZError) {
    try await followed?.value()
    if !mayHaveSession { copies.begin(isSubscribed: notifying, elsewhere: cache?.elsewhere ?? 0) }
    mayHaveSession = true
    sessionIsUnconfirmed = true
    do throws(BlueZError) {
      try await call(.gattCharacteristic, "StartNotify", deadline: deadline) { [self] in copies.joined() }
      sessionIsUnconfirmed = false
    } catch {
      if error.kind != .cancelled, error.kind != .deadline { sessionIsUnconfirmed = false }
      guard error.kind == .inProgress else { throw error }
      copies.joined()
    }
  }

  /// Returns false if `notifying` is not set within `delay`.
  public func becomesNotifying(within delay: Duration) async throws(BlueZError) -> Bool {
    guard let cache, let device = cache.device(of: self) else { throw .gone }
    let isNotifying = try await device.changes.until(within: delay, on: cache.loop) { [self] () throws(BlueZError) in
      try checkedPresent().notifying ? true : nil
    }
    return isNotifying ?? false
  }

  /// Ends the session, which would otherwise outlive the link: bluetoothd signals each value once for each session of
  /// any program, so the next program that uses the tag would receive everything twice. Without a link this only
  /// removes the session; with a link it also writes the descriptor.
  public func stopNotifyWithoutWaiting() {
    guard mayHaveSession || mayHaveInheritedSession, !isGone, let cache else { return }
    (mayHaveSession, mayHaveInheritedSession) = (false, false)
    cache.send(path, .gattCharacteristic, "StopNotify", [])
  }

  /// - Parameter overdue: called if there is no reply after `deadline`, although bluetoothd responds (`ServiceTimer`).
  /// - Parameter completion: called when bluetoothd has replied, however long that takes: a bluetoothd that does not
  ///   respond may still write the value when it continues. Called within this function only if nothing can be sent.
  public func write(
    _ value: [UInt8], _ type: WriteType, deadline: Duration, overdue: @escaping () -> Void,
    completion: @escaping (Result<Void, BlueZError>) -> Void
  ) {
    guard !isGone, let cache else { return completion(.failure(.gone)) }
    let timer = ServiceTimer(cache.loop, cache, after: deadline, overdue)
    do throws(BlueZError) {
      let answered: (Result<Message, BlueZError>) -> Void = { result in
        timer.cancel()
        completion(result.map { _ in })
      }
      try cache.start(deadline: nil, answered) { (owner) throws(BusError) in
        try writes[type, default: Self.writes(path, type)].message(to: owner, value)
      }
    } catch {
      timer.cancel()
      completion(.failure(error))
    }
  }

  /// A timer that does not expire while bluetoothd does not respond; nil if the cache no longer exists.
  public func timer(after limit: Duration, _ expired: @escaping () -> Void) -> ServiceTimer? {
    cache.map { ServiceTimer($0.loop, $0, after: limit, expired) }
  }

  /// Writes the last value of a link: bluetoothd carries it out before a later `Disconnect`.
  public func writeWithoutWaiting(_ value: [UInt8], _ type: WriteType) {
    guard !isGone else { return }
    cache?.send(path, .gattCharacteristic, "WriteValue", [.bytes(value)] + Self.options(type))
  }

  private static func writes(_ path: String, _ type: WriteType) -> BytesCall {
    BytesCall(path: path, interface: Interface.gattCharacteristic.rawValue, member: "WriteValue", others: options(type))
  }

  private static func options(_ type: WriteType) -> [Value] { [.properties(["type": .string(type.rawValue)])] }
}
