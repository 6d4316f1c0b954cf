import Glibc

/// Distinguishes signals that repeat a value for another subscriber from values that the tag has sent twice.
///
/// bluetoothd signals a value once for each StartNotify session of any program, in one iteration of its loop, so the
/// copies have consecutive serial numbers. Equal consecutive values of the tag look the same unless bluetoothd has sent
/// another message between them. Therefore the lengths of such runs are counted: each is a multiple of the number of
/// sessions.
///
/// The number of sessions can only change with a message of bluetoothd to another receiver: the reply to StartNotify or
/// StopNotify, or its call to the bus when a program with a session has left. The serial number of that message is
/// missing here. As long as no number is missing, nothing has changed, and a single session costs nothing. After one is
/// missing, a run of a single signal proves that there is no other session. A longer run is uncertain. In that case,
/// and as long as there are other sessions, a call is made to bluetoothd after each value: its reply ends the run, so
/// that later equal values begin a new run. While another program scans, a number is missing before most values; after
/// some calls without a result, the next one is made when a value has been signalled twice.
///
/// The number of sessions divides the length of each run since the last change (`most`), so in a longer run certain
/// signals are separate values: these, and the first of each run, are never copies. For the others, the number is
/// assumed (`sessions`) from runs that confirm each other: signals that are copies for this number are dropped, all
/// others are delivered as possible copies.
struct CopyFilter {
  enum Verdict {
    /// The value is not a copy of one that was delivered.
    case value
    case possibleCopy
    case copy
  }

  /// A run counts once, or twice if its value differs from the previous one: three different values are sufficient, or
  /// five equal ones, because two equal values may arrive in one radio packet.
  private static let requiredEvidence = 5
  /// The limit for runs that may also consist of several values for the known number of sessions.
  private static let requiredEvidenceForMultiples = 8
  /// Maximum number of calls to bluetoothd for one value that does not change.
  private static let maximumProbes = 16
  /// Maximum number of calls to bluetoothd in succession that find only single signals.
  private static let maximumVainProbes = 16
  /// Maximum number of doubts in succession that prove unfounded.
  private static let maximumVainDoubts = 16
  /// The maximum length of an attribute (Core Specification, volume 3, part F, 3.2.9).
  private static let maximumLength = 512

  /// The assumed number of signals for each value.
  private(set) var sessions = 1
  /// The number of signals for each value divides this; 0 if nothing is known.
  private var most = 0
  /// The session of this bus connection has been requested, so that the number may grow without a missing number.
  private var isJoining = false
  /// Copies and possible copies since these counts were last read.
  private var copies: UInt64 = 0
  private var uncertain: UInt64 = 0

  // The current run: a value and how often it was signalled without another message in between.
  private var value: [UInt8] = []
  private var serial: UInt32 = 0
  private var length = 0
  private var isFenced = true
  private var isMeasured = false
  private var mayRepeat = true

  /// The count of messages to others at the last value.
  private var elsewhere: UInt32 = 0
  /// Some of the assumed sessions may have ended, so that nothing may be dropped.
  private var isDoubted = false
  private var vainDoubts = 0

  private var isProbing = false
  private var probes = 0
  private var vainProbes = 0

  // Evidence from runs that are longer than the number of sessions.
  private var evidence = 0
  private var candidate = 0
  private var lastEvidence: [UInt8] = []

  /// Whether every signal is a separate value.
  var isQuiet: Bool { most == 1 }

  /// Called before StartNotify, when this bus connection has no session yet.
  ///
  /// - Parameter isSubscribed: `Notifying` is set, which shows another program's session.
  mutating func begin(isSubscribed: Bool, elsewhere: UInt32) {
    sessions = isSubscribed ? 2 : 1
    most = isSubscribed ? 0 : 1
    isJoining = true
    isMeasured = false
    isDoubted = false
    self.elsewhere = elsewhere
    forgetEvidence()
  }

  /// bluetoothd has replied to StartNotify.
  mutating func joined() { isJoining = false }

  /// `Notifying` is no longer set: the assumed sessions of other programs have ended.
  mutating func silenced() {
    sessions = 1
    forgetEvidence()
  }

  /// - Parameters:
  ///   - elsewhere: the count of messages to others up to this signal.
  ///   - canRepeat: whether the tag may send this value twice in a row.
  @inline(__always)
  mutating func judge(
    _ value: UnsafeRawBufferPointer, serial: UInt32, elsewhere: UInt32,
    canRepeat: (UnsafeRawBufferPointer) -> Bool
  ) -> Verdict {
    let follows = length > 0 && serial == self.serial &+ 1 && isLast(value)
    self.serial = serial
    if follows {
      length += 1
      return isQuiet ? .value : judgeRepetition()
    }
    guard isQuiet, elsewhere == self.elsewhere else {
      begin(value, elsewhere, canRepeat)
      return .value
    }
    length = 1
    keep(value)
    return .value
  }

  private func isLast(_ value: UnsafeRawBufferPointer) -> Bool {
    guard value.count == self.value.count, let bytes = value.baseAddress else { return false }
    return memcmp(self.value, bytes, value.count) == 0
  }

  private mutating func keep(_ value: UnsafeRawBufferPointer) {
    self.value.removeAll(keepingCapacity: true)
    self.value.append(contentsOf: UnsafeRawBufferPointer(rebasing: value.prefix(Self.maximumLength)))
  }

  // MARK: If there may be other sessions

  @inline(never)
  private mutating func begin(
    _ value: UnsafeRawBufferPointer, _ elsewhere: UInt32, _ canRepeat: (UnsafeRawBufferPointer) -> Bool
  ) {
    if !isQuiet { endRun() }
    if elsewhere != self.elsewhere {
      most = 0
      if sessions > 1, vainDoubts < Self.maximumVainDoubts { isDoubted = true }
    }
    self.elsewhere = elsewhere
    if !isLast(value) { probes = 0 }
    length = 1
    keep(value)
    isFenced = !isProbing
    isMeasured = !isJoining
    mayRepeat = canRepeat(value)
  }

  @inline(never)
  private mutating func judgeRepetition() -> Verdict {
    vainProbes = 0
    if !mayRepeat { sessions = max(sessions, length) }
    guard mayRepeat, isDoubted || isJoining || (length - 1) % sessions == 0 else {
      copies &+= 1
      return .copy
    }
    if most > 0, (length - 1) % most == 0 { return .value }
    uncertain &+= 1
    return .possibleCopy
  }

  /// - Parameter isAnswered: bluetoothd's reply has ended it. If the call was made after the first signal, the run is
  ///   that of one value, unless the tag sent another one within that time.
  private mutating func endRun(isAnswered: Bool = false) {
    defer { length = 0 }
    guard length > 0, isMeasured else { return }
    most = mayRepeat ? Self.commonDivisor(most, length) : length
    let isOneValue = !mayRepeat || isFenced && isAnswered
    if !mayRepeat || most < sessions {
      sessions = most
      vainDoubts = 0
      isDoubted = !isOneValue
      return forgetEvidence()
    }
    guard isOneValue else { return }
    if length == sessions {
      if isDoubted { vainDoubts += 1 }
      isDoubted = false
      return forgetEvidence()
    }
    guard most > sessions else { return }
    candidate = Self.commonDivisor(candidate, most)
    if candidate <= sessions { (candidate, evidence) = (most, 0) }
    evidence += evidence > 0 && lastEvidence != value ? 2 : 1
    lastEvidence = value
    let required =
      sessions == 1 ? Self.requiredEvidence : candidate % sessions == 0 ? Self.requiredEvidenceForMultiples : 1
    guard evidence >= required else { return }
    sessions = candidate
    vainDoubts = 0
    isDoubted = false
    forgetEvidence()
  }

  private mutating func forgetEvidence() {
    evidence = 0
    candidate = 0
    lastEvidence = []
  }

  private static func commonDivisor(_ left: Int, _ right: Int) -> Int {
    left == 0 ? right : commonDivisor(right % left, left)
  }

  mutating func takeCounts() -> (dropped: UInt64, doubtful: UInt64) {
    defer { (copies, uncertain) = (0, 0) }
    return (copies, uncertain)
  }

  // MARK: Probing

  /// Returns whether bluetoothd must be probed now, and counts the probe.
  mutating func takeProbe() -> Bool {
    guard !isQuiet, !isProbing, length > 0, mayRepeat else { return false }
    guard sessions > 1 || probes < Self.maximumProbes && vainProbes < Self.maximumVainProbes else { return false }
    // Separate equal values may have arrived since the run began.
    if length > 1 { isFenced = false }
    isProbing = true
    probes += 1
    vainProbes += 1
    return true
  }

  /// - Parameter byPeer: bluetoothd's reply has its own serial number, which ends the run.
  mutating func answered(byPeer: Bool) {
    isProbing = false
    guard byPeer else { return }
    if isQuiet { length = 0 } else { endRun(isAnswered: true) }
  }
}
