/// Behaviour that no document states: a property for each assumption, with the usual behaviour as its default.
///
/// A program must work with every combination. docs/protocol.md lists the assumptions; scenarios and random lives
/// choose others.
public struct TagBehaviour: Equatable, Sendable {
  /// When a tag reports its battery level and attached gear to a newly connected host.
  ///
  /// Recordings show only that both arrive immediately after connecting. The earliest possible time, and so the hardest
  /// for a host, is when the notification characteristic is enabled; that is the default.
  public enum Greeting: String, CaseIterable, Sendable {
    case subscribed
    case begun
    case configured
  }

  /// When a tag forgets a stored firmware image.
  public enum ImageRemoval: String, CaseIterable, Sendable {
    /// When it restarts with the new version; gear: when it has flashed it.
    case restart
    /// When it has accepted the request to execute it.
    case execute
  }

  /// How a tag responds to the firmware status request from the execute request to the restart.
  public enum Flashing: String, CaseIterable, Sendable { case busy, responds }

  /// When a tag responds to an erase request; `unstated`: at the start, without its status.
  public enum EraseResponse: String, CaseIterable, Sendable { case start, end, unstated }

  /// How a tag responds to hello and begin on a link on which it has accepted them before.
  public enum SecondHello: String, CaseIterable, Sendable { case accepted, refused }

  /// The number of hosts with which a tag stays bonded; with one, the next host to bond replaces it.
  public enum Bonds: String, CaseIterable, Sendable { case several, one }

  /// Whether a tag sends its identity address, or a private one that changes every 15 minutes, and that hosts resolve
  /// with a bond.
  public enum Address: String, CaseIterable, Sendable { case identity, `private` }

  /// The number at which the counter of a packet's fragments starts again.
  public enum FragmentCounter: String, CaseIterable, Sendable {
    case sixtyFour = "64"
    case sixteen = "16"
  }

  public var greeting = Greeting.subscribed
  /// Whether a tag reports battery and gear once for each link, or each time that the moment occurs.
  public var greetsOnce = false
  public var imageRemoval = ImageRemoval.restart
  public var flashing = Flashing.busy
  /// The time from the response to execute until the tag restarts, or gear has flashed the image.
  public var flashTime: Duration = .seconds(2)
  public var eraseResponse = EraseResponse.start
  public var eraseTime: Duration = .milliseconds(500)
  public var secondHello = SecondHello.accepted
  public var bonds = Bonds.several
  public var address = Address.identity
  /// The time after which a tag ends each link; nil: it does not.
  public var linkTime: Duration?
  /// The time before each response.
  public var latency: Duration = .zero
  /// Whether the packets of each download are numbered from 0.
  public var restartsPacketNumbers = false
  public var loadReport = LoadReport.afterResponse
  public var fragmentCounter = FragmentCounter.sixtyFour

  public init() {}

  /// The plausible answers as actions of scenarios, the usual one first.
  public static let alternatives: [(action: String, answers: [String])] = [
    ("greeting", ["subscribed", "begun", "configured", "subscribed once", "begun once", "configured once"]),
    ("image-removal", ["restart", "execute"]),
    ("flashing", ["busy", "responds"]),
    ("flash-time", ["2s", "20ms", "3s"]),
    ("motion erase-response", ["start", "end", "unstated"]),
    ("motion erase-time", ["500ms", "15s"]),
    ("second-hello", ["accepted", "refused"]),
    ("bond", ["several", "one"]),
    ("link-time", ["unlimited", "45s"]),
    ("latency", ["0s", "30ms", "1500ms"]),
    ("packet-numbers", ["continue", "restart"]),
    ("load-report", ["after", "before"]),
  ]
}
