import Glibc

/// Tells the signals that repeat a value for another subscriber from a value that the tag has sent twice.
///
/// bluetoothd signals a value once for each StartNotify session, of whatever program, in one turn of its loop: the copies
/// have consecutive serial numbers. Equal values of the tag that follow one another look the same unless bluetoothd has
/// sent something else between them. So the lengths of such runs are counted: each is a multiple of the number of
/// sessions.
///
/// That number can only grow with an answer to another program, whose serial number is missing here. While none is, a run
/// is what the tag has sent, and costs nothing more. After one, a run of a single signal proves that there is no other
/// session; a longer one is in doubt, and then, and as long as there are other sessions, something is asked of bluetoothd
/// after each value: its answer ends the run, so that equal values which come later begin one of their own.
///
/// In doubt a value is delivered.
struct CopyFilter {
  /// Runs of a value count once, those of a value other than the one before twice: three different ones are believed, or
  /// five of one, since two equal values may arrive in one radio packet.
  private static let enoughEvidence = 5
  /// For runs that may as well be several values for the sessions that are known.
  private static let enoughForMultiples = 8
  /// How often bluetoothd is asked about one value that does not change.
  private static let mostQuestions = 16
  /// The longest of an attribute (Core Specification, volume 3, part F, 3.2.9).
  private static let longestValue = 512

  /// What the signals of one value look like, as far as is known.
  private(set) var sessions = 1
  /// Since they were taken.
  private var copies: UInt64 = 0
  private var doubts: UInt64 = 0

  // The present run: a value and how often it was signalled with nothing between.
  private var value: [UInt8] = []
  private var serial: UInt32 = 0
  private var length = 0
  private var isFenced = true
  private var mayRepeat = true

  /// As of the last value.
  private var elsewhere: UInt32 = 0
  /// Since the number was last seen, something was sent to another program.
  private var mayHaveGrown = false

  private var isAsked = false
  private var questions = 0

  // Runs that are longer than the number has it.
  private var evidence = 0
  private var candidate = 0
  private var witness: [UInt8] = []
  /// Copies dropped since the number was last proved.
  private var unproved: UInt64 = 0

  /// Whether every signal has been a value of its own, as far as is known.
  var isQuiet: Bool { sessions == 1 && !mayHaveGrown }

  /// Before StartNotify, where this bus connection has no session yet.
  ///
  /// - Parameter isSubscribed: another program's session shows in `Notifying`.
  mutating func begin(isSubscribed: Bool, elsewhere: UInt32) {
    sessions = isSubscribed ? 2 : 1
    mayHaveGrown = isSubscribed
    self.elsewhere = elsewhere
    length = 0
    forgetEvidence()
  }

  /// - Parameters:
  ///   - elsewhere: as of this signal.
  ///   - canRepeat: whether the tag may send this value twice in a row.
  /// - Returns: whether this is a value, and not a copy of the one before.
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

  // MARK: When there may be other sessions

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

  // MARK: Asking

  /// Whether something is to be asked of bluetoothd now; the question counts as asked.
  mutating func takeQuestion() -> Bool {
    guard !isQuiet, !isAsked, length > 0, mayRepeat, sessions > 1 || questions < Self.mostQuestions else {
      return false
    }
    isAsked = true
    questions += 1
    return true
  }

  /// - Parameter byPeer: what bluetoothd says has a serial number of its own, so that the run is over.
  mutating func answered(byPeer: Bool) {
    isAsked = false
    guard byPeer else { return }
    if isQuiet { length = 0 } else { endRun() }
  }
}
