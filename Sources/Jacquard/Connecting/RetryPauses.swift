/// The pauses between attempts to connect.
struct RetryPauses {
  /// The pauses before attempt 2, 3, ...; the last value repeats. bleak-retry-connector starts at 0.1 s to 0.25 s and
  /// increases to 4 s; a tag that is away for a night should cost less.
  var usual: [Duration] = [
    .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(15),
  ]

  /// Additional pauses while a bond is only suspected to be lost, by the time since the suspicion. A tag that was bound
  /// elsewhere may stay within reach for days, and each attempt costs its battery. Chosen.
  var suspicion = [
    Deadlines.Stage(after: .seconds(600), value: .seconds(60)),
    Deadlines.Stage(after: .seconds(3600), value: .seconds(300)),
  ]

  /// The shortest pauses while the tag is taken by a program whose release cannot be seen, such as another user's
  /// program, by the time that the tag has been taken. Chosen.
  var taken = [Deadlines.Stage(after: .seconds(600), value: .seconds(60))]

  /// - Parameter length: duration of the attempt. After an attempt that itself waited for the tag, the shortest pause
  ///   is sufficient: during a pause a returning tag is not detected.
  func after(attempt: Int, ofLength length: Duration = .zero) -> Duration {
    let pause = usual[max(0, min(attempt - 1, usual.count - 1))]
    return max(pause - length, usual[0])
  }
}
