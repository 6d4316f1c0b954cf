/// Every time limit of the life cycle in one place, each with its source.
struct Deadlines {
  /// First connection, from the caller's wish to step 14. Reference SDKs: 60 s up to the enabled notifications.
  var firstConnection: Duration = .seconds(60)

  /// One `Connect` of BlueZ, until the link is up. Its own limit was seen at 41 s for a silent tag; libraries that
  /// serve many users settled on 20 s, after which a new attempt succeeds more often than waiting does.
  var linkUp: Duration = .seconds(20)

  /// How long the reply to `Connect` may trail the property that says the same. They were seen within 10 ms.
  var connectReplyTrail: Duration = .milliseconds(200)

  /// How long the reason for the end of a bonded link may trail a `Connect` that fails. BlueZ 5.87 gave it within 0.3 s.
  var reasonTrail: Duration = .milliseconds(500)

  /// From link up until services are resolved: a state of its own, because discovery hangs for its own reasons.
  var servicesResolved: Duration = .seconds(20)

  /// How long GATT objects may trail `ServicesResolved`. On BlueZ 5.66 they came in one burst, within 20 ms
  /// on a slow machine. What is not there by then mostly never comes, and the next attempt finds it.
  var gattTrail: Duration = .milliseconds(500)

  /// `Pair`, from the request to the bond. The Security Manager gives up after 30 s (Core Specification, volume 3, part H,
  /// 3.4); bluetoothd then says so.
  var pairing: Duration = .seconds(35)

  /// StartNotify on one characteristic: one write of its descriptor.
  var enableNotifications: Duration = .seconds(8)

  /// The same without a bond. A tag that demands one leaves it unanswered, or rather BlueZ does (seen on 5.66): two links of
  /// that length come to `notBound` within 15 s, which includes 2 s for dropping the first.
  var enableUnbonded: Duration = .seconds(3)

  /// How long `Notifying` may trail the answer to StartNotify. It was signalled before the answer.
  var notifyingTrail: Duration = .seconds(1)

  /// A bluetoothd that answered nothing else within this time may be what left StartNotify unanswered.
  var proofOfLife: Duration = .seconds(1)

  /// How long the bond of a tag that is bound here may trail the adapter. BlueZ exports both together.
  var bondTrail: Duration = .seconds(1)

  /// Hello, begin, device information and configuration, each. Reference SDK for iOS: 2 s.
  var setUpRequest: Duration = .seconds(2)

  /// Every other command. Both reference SDKs: 8 s.
  var request: Duration = .seconds(8)

  /// Before gear that answered its mode command with "busy" is asked again: it has just been attached, and starts.
  var busyPauses: [Duration] = [
    .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2),
  ]

  /// Writing one fragment: the ATT transaction limit of 30 s is bluetoothd's to enforce; this one notices a bluetoothd
  /// that hangs.
  var writeFragment: Duration = .seconds(10)

  /// `Disconnect`, until the device is seen disconnected; also another program's, which then releases the tag. BlueZ took 2 s for a healthy link.
  var linkDown: Duration = .seconds(5)

  /// How long discovery goes on without a break for a tag that BlueZ does not know, from when it was lost or asked for.
  /// Somebody who waits for a tag wakes or fetches it within this time.
  var eagerness: Duration = .seconds(120)

  /// After that, one round of the kernel's LE discovery (10.24 s, `DISCOV_LE_TIMEOUT`) with the time to start it, in each
  /// cycle. A tag in its slowest stage advertises every 0.55 s (what the reference SDK for Android sets), so a round
  /// meets it some twenty times.
  var searchWindow: Duration = .seconds(11)

  /// How far apart the windows begin, by the time that the tag has been away. The later cycle is a multiple of the
  /// earlier, so that tags that are away together are searched for together.
  var searchCycles: [(away: Duration, cycle: Duration)] = [
    (.seconds(120), .seconds(22)), (.seconds(600), .seconds(66)),
  ]

  /// One `Connect` to a tag that BlueZ knows and that has been away for longer than `eagerness`: until BlueZ gives up
  /// waiting for it, seen at 41 s. The kernel waits by itself, with passive scanning.
  var linkWait: Duration = .seconds(60)

  /// Pause before attempt 2, 3, ...; the last one stays. bleak-retry-connector starts at 0.1 s to 0.25 s and goes to
  /// 4 s; a tag that is away for the night should cost less.
  var retryPauses: [Duration] = [
    .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(15),
  ]

  /// - Parameter length: of the attempt. One that has waited for the tag by itself needs no pause but the shortest: in
  ///   the pause a tag that comes back is not heard.
  func pause(afterAttempt attempt: Int, ofLength length: Duration = .zero) -> Duration {
    let pause = retryPauses[max(0, min(attempt - 1, retryPauses.count - 1))]
    return max(pause - length, retryPauses[0])
  }

  func enableNotifications(bonded: Bool) -> Duration { bonded ? enableNotifications : enableUnbonded }

  func linkUp(away: Duration) -> Duration { away < eagerness ? linkUp : linkWait }

  /// Nil: discovery goes on without a break.
  func searchCycle(away: Duration) -> Duration? { searchCycles.last { away >= $0.away }?.cycle }
}
