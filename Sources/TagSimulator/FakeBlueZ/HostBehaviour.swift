/// How the simulated machine and its bluetoothd behave; the times are those of a real one.
struct HostBehaviour {
  /// After the 5. An advertised service kills 5.87 while a client filters by services; from 5.82 on the name of a tag whose
  /// services are known is not read again.
  var release: UInt8 = 66
  var connectTime: Duration = .milliseconds(80)
  var resolveTime: Duration = .milliseconds(100)
  /// From a write request to the tag's acknowledgement.
  var writeTime: Duration = .zero
  var disconnectTime: Duration = .seconds(2)
  var pairTime: Duration = .milliseconds(400)
  /// From the link to its end, when the tag has forgotten its bond.
  var keyMissing: Duration = .milliseconds(25)
  var pairingQuestion = HostAction.PairingQuestion.nothing
  var giveUpConnecting: Duration = .seconds(41)
  var temporaryTimeout: Duration = .seconds(30)
  /// How long a link that outlived bluetoothd is shown as connected after its restart.
  var inheritedLink: Duration = .milliseconds(1400)
  var removalAfterFailure: Duration = .milliseconds(10)
  /// What the negotiated MTU carries in one value.
  var capacity = 244
  /// Mostly bluetoothd does not signal Connected=true to whoever called Connect: the reply says it.
  var silentConnected = true
  /// On first contact ServicesResolved is signalled before the objects of the services are announced.
  var resolvedFirst = true
  /// Releases since 5.83 say why a link has ended.
  var saysWhyDisconnected = false
  var connectFault = HostAction.ConnectFault.none
  /// Connect is not answered although the link comes up, which is signalled.
  var connectUnanswered = false
  /// StartNotify is not answered where the tag demands a bond and none can be made; otherwise it is with ATT's error.
  var securityUnanswered = true
  /// How often StartNotify is answered with success and comes to nothing.
  var ignoredStartNotifies = 0
  /// From `Powered=false` to the links, and from there to the owner of the name, when bluetoothd is asked to end.
  var stopTimes: (links: Duration, owner: Duration) = (.milliseconds(60), .milliseconds(140))
  /// How often the services resolve with an error, and so in part.
  var incompleteResolutions = 0
  /// How long a link stays up that came up behind a failure.
  var flapLength: Duration = .milliseconds(300)
  /// The error that starting discovery is answered with, and how often.
  var discoveryRefusal: (name: String, times: Int)?

  var modalias: String {
    let digits = String(release, radix: 16, uppercase: true)
    return "usb:v1D6Bp0246d05" + (digits.utf8.count < 2 ? "0" : "") + digits
  }

  /// 5.82 subscribes to the characteristics of a known device before it resolves its services, and waits there.
  var waitsForSecurityFirst: Bool { securityUnanswered && (82..<87).contains(release) }

  mutating func takeConnectFault() -> HostAction.ConnectFault {
    let fault = connectFault
    switch fault {
    case .error(let text, let times?): connectFault = times > 1 ? .error(text, times: times - 1) : .none
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

  mutating func takeDiscoveryRefusal() -> MethodFailure? {
    guard let (name, times) = discoveryRefusal else { return nil }
    discoveryRefusal = times > 1 ? (name, times - 1) : nil
    return MethodFailure(name: "org.bluez.Error.\(name)", message: "")
  }
}
