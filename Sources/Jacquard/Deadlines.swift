/// The time limits of the life cycle, each with its source. `BlueZDeadlines` has the limits of single calls to BlueZ,
/// `StateFile` the limit of the state file's lock, and `BusConnection.defaultDeadline` the default of D-Bus calls.
struct Deadlines {
  /// The first connection, from the caller's request to step 14. Reference SDKs: 60 s until notifications are enabled.
  var firstConnection: Duration = .seconds(60)

  /// One `Connect` of BlueZ, until the link is up. Its own limit was observed as 41 s for an absent tag; libraries with
  /// many users settled on 20 s, after which a new attempt succeeds more often than waiting does.
  var linkUp: Duration = .seconds(20)

  /// Maximum delay of the reply to `Connect` after the property. They were observed within 10 ms.
  var connectReplyDelay: Duration = .milliseconds(200)

  /// Maximum delay of the disconnect reason of a bonded link after a failed `Connect`. BlueZ 5.87 reported it within
  /// 0.3 s.
  var reasonDelay: Duration = .milliseconds(500)

  /// The time from link up until services are resolved; a separate limit, because discovery can hang for other reasons.
  var servicesResolved: Duration = .seconds(20)

  /// Maximum delay of GATT objects after `ServicesResolved`. On BlueZ 5.66 they arrived in one burst, within 20 ms on a
  /// slow machine. Objects missing by then mostly never arrive, and the next attempt finds them.
  var gattDelay: Duration = .milliseconds(500)

  /// `Pair`, from the request to the bond. The Security Manager gives up after 30 s (Core Specification, volume 3, part
  /// H, 3.4), and bluetoothd then reports it.
  var pairing: Duration = .seconds(35)

  /// StartNotify on one characteristic, which writes its descriptor once.
  var enableNotifications: Duration = .seconds(8)

  /// StartNotify without a bond. If the tag requires one, BlueZ does not reply (seen on 5.66). Three links of this
  /// duration lead to `notBound` within 20 s, including 2 s to drop each.
  var enableUnbonded: Duration = .seconds(3)

  /// Maximum delay of `Notifying` after the reply to StartNotify. It was observed before the reply.
  var notifyingDelay: Duration = .seconds(1)

  /// If bluetoothd has not replied to any other call within this time, bluetoothd may be the reason why StartNotify got
  /// no reply.
  var proofOfLife: Duration = .seconds(1)

  /// Maximum delay of a bound tag's bond after the adapter. BlueZ exports both together.
  var bondDelay: Duration = .seconds(1)

  /// Hello, begin, device information and configuration, each. Reference SDK for iOS: 2 s.
  var setUpRequest: Duration = .seconds(2)

  /// All other commands. Both reference SDKs: 8 s.
  var request: Duration = .seconds(8)

  /// The time from hello to the service's welcome. A service that takes longer hangs.
  var welcome: Duration = .seconds(5)

  /// How long a program waits for a service that it has used, or whose socket refuses, before it has the link itself: a
  /// supervisor has started it again by then.
  var serviceReturn: Duration = .seconds(10)

  /// The interval between two links that are given up for a service that has been started. Chosen.
  var handOvers: Duration = .seconds(60)

  /// How much longer than its limit a command through the service may take because of other programs' commands. Chosen:
  /// longer than a response may take, so a tag that does not respond to another program is not given up.
  var otherTurns: Duration = .seconds(10)

  /// How much longer the service may wait for a response while bluetoothd does not respond: `BlueZDeadlines.hang`, and
  /// the limits that begin again after it.
  var suspension: Duration = .seconds(150)

  /// The removal of a tag's bonds by the service: BlueZ takes some seconds for each adapter.
  var removal: Duration = .seconds(60)

  /// The response to an erase request, and from the response to the report of the end. Reference SDK for Android: 60 s
  /// for both.
  var eraseReport: Duration = .seconds(90)

  /// How long the report of the end of an erase may be missing before the tag is asked for its status, repeatedly.
  var eraseInquiry: Duration = .seconds(5)

  /// The time between two packets of a session's download. The tag repeats an unacknowledged packet sooner.
  var downloadPacket: Duration = .seconds(10)

  /// How long a download may be silent before the tag is asked whether it still transfers the session.
  var downloadSilence: Duration = .seconds(3)

  /// The pause between two reads of the status of a transfer whose last packet was acknowledged. The transfer ends when
  /// the tag has received the acknowledgement, one connection interval later.
  var transferPause: Duration = .milliseconds(100)

  /// How long touches may be missing before bluetoothd is probed. About 60 a second arrive during a touch.
  var touchSilence: Duration = .seconds(1)

  /// How long a motion stream may be silent before the tag is asked whether it still streams.
  var streamSilence: Duration = .seconds(5)

  /// The time from the execute request of a firmware update until the tag restarts, or gear reports the end; until then
  /// the old version is not a failure. Reference SDKs: 60 s for gear; that for iOS also for the tag.
  var firmwareExecution: Duration = .seconds(60)

  /// The time from the end of a link after the execute request until the tag is connected. Firmware that needs longer
  /// is reported as not installed, and can still arrive.
  var firmwareReturn: Duration = .seconds(120)

  /// The time from the link until the tag has reported its gear, before an update of that gear is refused.
  var gearReport: Duration = .seconds(5)

  /// Pauses before the mode is set again after gear responded with "busy", because it has just been attached and is
  /// starting.
  var busyPauses: [Duration] = [
    .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2),
  ]

  /// Writing one fragment, before the command fails or bluetoothd turns out to hang.
  var writeFragment: Duration = .seconds(10)

  /// A write to which a bluetoothd that responds does not reply: the limit of an ATT transaction, after which nothing
  /// more may be sent on the link (Core Specification, volume 3, part F, 3.3.3).
  var transaction: Duration = .seconds(30)

  /// `Disconnect`, until the device is disconnected; also the wait for another program's disconnect, which then
  /// releases the tag. BlueZ took 2 s for a working link.
  var linkDown: Duration = .seconds(5)

  /// How long a connection waits for another program to release the tag before it tries again, in case the release
  /// could not be seen. Chosen.
  var otherProgram: Duration = .seconds(600)

  /// Duration of continuous discovery for a tag that BlueZ does not know, after it was lost or requested. A user who
  /// waits for a tag wakes or fetches it within this time.
  var continuousDiscovery: Duration = .seconds(120)

  /// The discovery in each later cycle: one round of the kernel's LE discovery (10.24 s, `DISCOV_LE_TIMEOUT`) plus the
  /// time to start it. A tag in its slowest stage advertises every 0.55 s (set by the reference SDK for Android), so
  /// one round receives about twenty advertisements.
  var searchWindow: Duration = .seconds(11)

  /// Interval between the windows, by the time that the tag has been away. The later cycle is a multiple of the earlier
  /// one, so that the searches for several absent tags coincide.
  var searchCycles = [
    Stage(after: .seconds(120), value: .seconds(22)), Stage(after: .seconds(600), value: .seconds(66)),
  ]

  /// The shortest interval while BlueZ must forget a device without a bond. It takes 25 s to 37 s for that, without
  /// discovery (observed).
  var forgettingCycle: Duration = .seconds(66)

  /// One `Connect` to a tag that has been away for as long as two of `linkUp`: until BlueZ gives up, observed at 41 s.
  /// The kernel waits with passive scanning. Before that, a `Connect` that hangs must not take longer than `linkUp`.
  var linkWait: Duration = .seconds(60)

  var retryPauses = RetryPauses()

  // MARK: Interpreting signals of BlueZ

  /// Powering an adapter after it appears took up to 2 s and several retries; systemd waits longer before a restart.
  static let adapterReturn: Duration = .seconds(10)

  /// When bluetoothd is stopped, it powers its adapters off first and disappears 0.2 s later (seen on 5.66 on a slow
  /// machine). Only an adapter that stays off for longer, and whose bluetoothd responds, was powered off by the user.
  static let adapterOff: Duration = .seconds(1)

  /// A bluetoothd that starts owns its name before it exports its adapters, and exports them 50 ms before it has
  /// powered them; one that ends powers them off 0.2 s before it exits (both seen on 5.66). Only a program that starts
  /// in that interval sees the adapter powered off first.
  static let adapterStarts: Duration = .milliseconds(500)

  /// An event that follows a loss within this time may be its cause: bluetoothd takes 0.2 s from the end of its links
  /// to its own end when it is stopped, 0.1 s when powered off, and a lost adapter is reported after `adapterOff`.
  static let lossExplained: Duration = .seconds(3)

  /// Maximum delay of the loss of a link after a write that failed because of it.
  static let closingDelay: Duration = .milliseconds(500)

  /// Smaller differences result from reading the two clocks of `BootTime` one after the other.
  static let shortestSleep: Duration = .seconds(1)

  // MARK: By attempt

  func enableNotifications(bonded: Bool) -> Duration { bonded ? enableNotifications : enableUnbonded }

  func linkUp(away: Duration) -> Duration { away < linkUp * 2 ? linkUp : linkWait }

  /// Nil if discovery is continuous.
  func searchCycle(away: Duration) -> Duration? { searchCycles.value(after: away) }
}

extension Deadlines {
  /// A pause or a cycle that applies after some time, until that of the next stage does.
  struct Stage {
    var after: Duration
    var value: Duration
  }
}

extension [Deadlines.Stage] {
  /// Nil before the first stage.
  func value(after time: Duration) -> Duration? { last { time >= $0.after }?.value }
}
