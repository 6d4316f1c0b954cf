import Glibc

/// Distinguishes signals that repeat a value for another subscriber from values that the tag has sent twice.
///
/// bluetoothd signals a value once for each StartNotify session of any program, in one iteration of its loop, so the
/// copies have consecutive serial numbers. Equal consecutive values of the tag look the same unless bluetoothd has sent
/// another message between them. Therefore the lengths of such runs are counted: each is a multiple of the number of
/// sessions.
///
/// That number can only grow with a reply to another program, whose serial number is missing here. While none is
/// missing, a run is what the tag has sent, and there is no extra cost. After one is missing, a run of a single signal
/// proves that there is no other session. A longer run is uncertain. In that case, and as long as there are other
/// sessions, a call is made to bluetoothd after each value: its reply ends the run, so that later equal values begin a
/// new run.
///
/// Uncertain values are delivered.
struct CopyFilter {
  /// Runs of the same value count once, those of a value that differs from the previous one twice: three different
  /// values are sufficient, or five equal ones, because two equal values may arrive in one radio packet.
  private static let enoughEvidence = 5
  /// For runs that may also be several values for the known sessions.
  private static let enoughForMultiples = 8
  /// Maximum number of calls to bluetoothd for one value that does not change.
  private static let mostQuestions = 16
  /// The maximum length of an attribute (Core Specification, volume 3, part F, 3.2.9).
  private static let longestValue = 512

  /// What is known about the signals of one value.
  private(set) var sessions = 1
  /// Changes since they were last read.
  private var copies: UInt64 = 0
  private var doubts: UInt64 = 0

  // The current run: a value and how often it was signalled without another message in between.
  private var value: [UInt8] = []
  private var serial: UInt32 = 0
  private var length = 0
  private var isFenced = true
  private var mayRepeat = true

  /// At the last value.
  private var elsewhere: UInt32 = 0
  /// bluetoothd sent a message to another program since the number was last seen.
  private var mayHaveGrown = false

  private var isAsked = false
  private var questions = 0

  // Runs that are longer than the number of sessions.
  private var evidence = 0
  private var candidate = 0
  private var witness: [UInt8] = []
  /// Copies dropped since the number was last confirmed.
  private var unproved: UInt64 = 0

  /// Whether every signal has been a separate value, as far as known.
  var isQuiet: Bool { sessions == 1 && !mayHaveGrown }

  /// Called before StartNotify, when this bus connection has no session yet.
  ///
  /// - Parameter isSubscribed: `Notifying` is set, which shows another program's session.
  mutating func begin(isSubscribed: Bool, elsewhere: UInt32) {
    sessions = isSubscribed ? 2 : 1
    mayHaveGrown = isSubscribed
    self.elsewhere = elsewhere
    length = 0
    forgetEvidence()
  }

  /// - Parameters:
  ///   - elsewhere: messages to other programs, up to this signal.
  ///   - canRepeat: whether the tag may send this value twice in a row.
  /// - Returns: whether this is a value and not a copy of the previous one.
  @inline(__always)
  mutating func admits(
    _ value: UnsafeRawBufferPointer, serial: UInt32, elsewhere: UInt32,
    canRepeat: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    let follows = length > 0 && serial == self.serial &+ 1 && isLast(value)
    self.serial = serial
    if follows {
      length += 1
      return isQuiet || admitsRepetition(value)
    }
    guard isQuiet, elsewhere == self.elsewhere else {
      begin(value, elsewhere, canRepeat)
      return true
    }
    length = 1
    keep(value)
    return true
  }

  private func isLast(_ value: UnsafeRawBufferPointer) -> Bool {
    guard value.count == self.value.count, let bytes = value.baseAddress else { return false }
    return memcmp(self.value, bytes, value.count) == 0
  }

  private mutating func keep(_ value: UnsafeRawBufferPointer) {
    self.value.removeAll(keepingCapacity: true)
    self.value.append(contentsOf: UnsafeRawBufferPointer(rebasing: value.prefix(Self.longestValue)))
  }

  // MARK: If there may be other sessions

  @inline(never)
  private mutating func begin(
    _ value: UnsafeRawBufferPointer, _ elsewhere: UInt32, _ canRepeat: (UnsafeRawBufferPointer) -> Bool
  ) {
    if !isQuiet { endRun() }
    if elsewhere != self.elsewhere { mayHaveGrown = true }
    self.elsewhere = elsewhere
    if !isLast(value) { questions = 0 }
    length = 1
    keep(value)
    isFenced = !isAsked
    mayRepeat = canRepeat(value)
  }

  @inline(never)
  private mutating func admitsRepetition(_ value: UnsafeRawBufferPointer) -> Bool {
    if !mayRepeat { sessions = max(sessions, length) }
    guard (length - 1) % sessions == 0 else {
      copies &+= 1
      return false
    }
    if mayHaveGrown { doubts &+= 1 }
    return true
  }

  private mutating func endRun() {
    guard length > 0 else { return }
    defer { length = 0 }
    if !mayRepeat || length <= sessions {
      if length < sessions { doubts &+= unproved }
      sessions = length
      unproved = isFenced || !mayRepeat || sessions == 1 ? 0 : unproved &+ UInt64(sessions - 1)
      mayHaveGrown = false
      return forgetEvidence()
    }
    guard mayHaveGrown, isFenced else { return }
    candidate = Self.commonDivisor(candidate, length)
    if candidate <= sessions { (candidate, evidence) = (length, 0) }
    evidence += evidence > 0 && witness != value ? 2 : 1
    witness = value
    let enough = sessions == 1 ? Self.enoughEvidence : candidate % sessions == 0 ? Self.enoughForMultiples : 1
    guard evidence >= enough else { return }
    sessions = candidate
    mayHaveGrown = false
    forgetEvidence()
  }

  private mutating func forgetEvidence() {
    evidence = 0
    candidate = 0
    witness = []
  }

  private static func commonDivisor(_ left: Int, _ right: Int) -> Int {
    left == 0 ? right : commonDivisor(right % left, left)
  }

  mutating func takeCounts() -> (dropped: UInt64, doubtful: UInt64) {
    defer { (copies, doubts) = (0, 0) }
    return (copies, doubts)
  }

  // MARK: Probing

  /// Returns whether bluetoothd must be probed now, and counts the probe.
  mutating func takeQuestion() -> Bool {
    guard !isQuiet, !isAsked, length > 0, mayRepeat, sessions > 1 || questions < Self.mostQuestions else {
      return false
    }
    isAsked = true
    questions += 1
    return true
  }

  /// - Parameter byPeer: bluetoothd's reply has its own serial number, which ends the run.
  mutating func answered(byPeer: Bool) {
    isAsked = false
    guard byPeer else { return }
    if isQuiet { length = 0 } else { endRun() }
  }
}
