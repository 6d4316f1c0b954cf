/// The time limits of calls to BlueZ, each with its source.
enum BlueZDeadlines {
  /// Consecutive GetManagedObjects calls; the last one repeats. A bluetoothd with a hundred devices replies in well
  /// under a second; one that hangs replies to all pending calls when it continues.
  static let load: [Duration] = [.seconds(2), .seconds(3), .seconds(10), .seconds(30), .seconds(60)]
  /// Pauses before GetManagedObjects is called again after an error; the last one repeats. No signal reports when the
  /// cause, such as a limit or a policy of the bus, is removed.
  static let loadPauses: [Duration] = [
    .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(15), .seconds(60),
  ]

  /// A probe with minimal cost for bluetoothd, sent after another call got no reply in time.
  static let proofOfLife: Duration = .seconds(5)
  /// The pause before the next probe. It can be long, because bluetoothd replies to the pending probe when it
  /// continues.
  static let nextProofOfLife: Duration = .seconds(60)
  /// A bluetoothd whose reply to the probe takes longer has hung: it may still carry out earlier requests. It replied
  /// within milliseconds when it was only busy.
  static let promptProof: Duration = .seconds(1)
  /// The time limits of requests are suspended this long while bluetoothd hangs. Chosen, not measured: a caller must
  /// get a result after some time.
  static let hang: Duration = .seconds(120)

  /// Attempts to reach the bus after each change of its socket.
  static let busPauses: [Duration] = [
    .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(2), .seconds(5),
  ]
  /// The pause before the next attempt if a server listens but does not respond.
  static let lastBusPause: Duration = .seconds(30)

  /// Pauses before StartDiscovery is repeated. More than 10.24 s in total: for that long the kernel continues the
  /// discovery of a crashed bluetoothd, and refuses its successor (seen on 6.12).
  static let discoveryPauses: [Duration] = [.milliseconds(250), .seconds(1)] + Array(repeating: .seconds(2), count: 5)

  /// A discovery that has reported nothing for this long is started again: some controllers stop reporting without an
  /// error. habluetooth uses the same limit. Doubles with each restart in vain, up to 24 minutes.
  static let discoverySilence: Duration = .seconds(90)

  /// Calls to which bluetoothd replies without the controller.
  static let setting: Duration = .seconds(5)
  /// The kernel's own limit for a link (`L2CAP_CONN_TIMEOUT`): an error after it says that the tag is away.
  static let connect: Duration = .seconds(40)
  /// Includes waiting for the controller.
  static let startDiscovery: Duration = .seconds(15)
  /// `Disconnect` was observed to take 2 s; `RemoveDevice` disconnects first.
  static let disconnect: Duration = .seconds(10)
  /// The time from the reply to `RemoveDevice` until the device is removed.
  static let removal: Duration = .seconds(1)

  /// logind's `Inhibit`, which replies at once or asks polkit, without the user.
  static let inhibit: Duration = .seconds(2)
}
