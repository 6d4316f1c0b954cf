/// The behaviour of the simulated machine and its bluetoothd. The times were observed on a real machine.
struct HostBehaviour {
  /// The minor release of BlueZ 5. Release 5.87 crashes at an advertised service while a client filters by services;
  /// since 5.82 the name of a tag with known services is not re-read.
  var release: UInt8 = 66
  var connectTime: Duration = .milliseconds(80)
  var resolveTime: Duration = .milliseconds(100)
  /// Time from a write request to the tag's acknowledgement.
  var writeTime: Duration = .zero
  var disconnectTime: Duration = .seconds(2)
  var pairTime: Duration = .milliseconds(400)
  /// Times if the tag has lost its bond: from the link until the tag refuses to encrypt it, and from then to the link's
  /// end.
  var keyMissing: (refused: Duration, ended: Duration) = (.milliseconds(20), .milliseconds(5))
  var pairingQuestion = HostAction.PairingQuestion.nothing
  var giveUpConnecting: Duration = .seconds(41)
  var temporaryTimeout: Duration = .seconds(30)
  /// How long a link that outlived bluetoothd is shown as connected after its restart.
  var inheritedLink: Duration = .milliseconds(1400)
  var removalAfterFailure: Duration = .milliseconds(10)
  /// The maximum value length with the negotiated MTU.
  var capacity = 244
  /// Usually bluetoothd does not signal Connected=true to the caller of Connect, who only gets the reply.
  var silentConnected = true
  /// Whether, on the first connection, ServicesResolved is signalled before the objects of the services are exported.
  var resolvedFirst = true
  /// Releases since 5.83 report why a link has ended.
  var saysWhyDisconnected = false
  var connectFault = HostAction.ConnectFault.none
  /// Connect gets no reply, although the link comes up and is signalled.
  var connectUnanswered = false
  /// Write requests get no reply although the tag receives them, until the link ends.
  var writeUnanswered = false
  /// StartNotify gets no reply if the tag requires a bond and none can be created; otherwise it fails with ATT's error.
  var securityUnanswered = true
  /// How many times StartNotify succeeds without effect.
  var ignoredStartNotifies = 0
  /// How many times StartNotify fails with ATT's "unlikely error". A tag may have other reasons for this error.
  var failedStartNotifies = 0
  /// When bluetoothd is stopped: time from `Powered=false` to the end of links, and from there to the release of the
  /// name.
  var stopTimes: (links: Duration, owner: Duration) = (.milliseconds(60), .milliseconds(140))
  /// How many times the services resolve incompletely because of an error.
  var incompleteResolutions = 0
  /// How long a link that comes up after a failure stays up.
  var flapLength: Duration = .milliseconds(300)
  /// The error of StartDiscovery, and how many times it occurs.
  var discoveryRefusal: (name: String, times: Int)?

  var modalias: String {
    let digits = String(release, radix: 16, uppercase: true)
    return "usb:v1D6Bp0246d05" + (digits.utf8.count < 2 ? "0" : "") + digits
  }

  /// Since 5.82 the characteristics of a known device are subscribed to before its services are resolved. If the tag
  /// requires a bond, 5.82 waits at that point, and 5.87 ends the link.
  var subscribesFirst: Bool { securityUnanswered && release >= 82 }

  /// Whether programs may report battery levels; earlier releases accept them with experimental interfaces only.
  var takesBatteries: Bool { release >= 71 }

  mutating func takeConnectFault() -> HostAction.ConnectFault {
    let fault = connectFault
    switch fault {
    case .error(let text, let times?): connectFault = times > 1 ? .error(text, times: times - 1) : .none
    case .drop(let times?): connectFault = times > 1 ? .drop(times: times - 1) : .none
    case .flap(let times?): connectFault = times > 1 ? .flap(times: times - 1) : .none
    case .hang(let times?): connectFault = times > 1 ? .hang(times: times - 1) : .none
    default: break
    }
    return fault
  }

  mutating func takeIncompleteResolution() -> Bool {
    defer { incompleteResolutions = max(0, incompleteResolutions - 1) }
    return incompleteResolutions > 0
  }

  mutating func takeIgnoredStartNotify() -> Bool {
    defer { ignoredStartNotifies = max(0, ignoredStartNotifies - 1) }
    return ignoredStartNotifies > 0
  }

  mutating func takeFailedStartNotify() -> Bool {
    defer { failedStartNotifies = max(0, failedStartNotifies - 1) }
    return failedStartNotifies > 0
  }

  mutating func takeDiscoveryRefusal() -> MethodFailure? {
    guard let (name, times) = discoveryRefusal else { return nil }
    discoveryRefusal = times > 1 ? (name, times - 1) : nil
    return MethodFailure(name: "org.bluez.Error.\(name)", message: "")
  }
}
