import EventLoop

/// Work that only one program at a time may do with a tag. The service's messages contain the numbers.
enum ReservationKind: UInt32 {
  case recording = 1
  case stream
  case download
  case erasure
  case firmware
  case modules
  case unbinding

  /// Whether another link would delay the work more than waiting for its end delays other programs. A stream may last
  /// for hours.
  var keepsLink: Bool { self != .stream }

  var activity: String {
    switch self {
    case .recording: "starting or stopping motion capture"
    case .stream: "streaming motion"
    case .download: "downloading a motion session"
    case .erasure: "erasing motion sessions"
    case .firmware: "updating firmware"
    case .modules: "changing modules"
    case .unbinding: "unbinding the tag"
    }
  }
}

/// Keeps other programs from interfering with this one's work. Within one program it excludes nothing: the tag and
/// the library do that. Without the service there is no other program.
final class TagReservation {
  weak var service: ServiceSource? {
    didSet { grantor &+= 1 }
  }
  /// The number of the present service.
  private var grantor: UInt32 = 1
  /// Sent when the last piece of work that should not change its link has ended.
  let idle = Observers<Void>()
  private var works = 0

  /// A reservation of one piece of work; others of this program may have reserved the same.
  struct Grant {
    /// The service that has granted it; 0: nothing is reserved.
    fileprivate var grantor: UInt32 = 0
  }

  var isIdle: Bool { works == 0 }

  /// - Parameter turn: that of the command that needs it, if any; the wait ends when it fails.
  func take(_ kind: ReservationKind, in turn: CommandTurn? = nil) async throws(JacquardError) -> Grant {
    let grantor = grantor
    try await service?.reserve(kind, in: turn)
    if kind.keepsLink { works += 1 }
    return Grant(grantor: grantor)
  }

  /// For work that continues on another link: another service does not know what the previous one granted, and may have
  /// granted it to another program.
  func renew(_ kind: ReservationKind, _ grant: Grant) async throws(JacquardError) -> Grant {
    guard grant.grantor != grantor else { return grant }
    let new = try await take(kind)
    end(kind, grant)
    return new
  }

  func release(_ kind: ReservationKind, _ grant: Grant) {
    if grant.grantor == grantor { service?.release(kind) }
    end(kind, grant)
  }

  private func end(_ kind: ReservationKind, _ grant: Grant) {
    guard kind.keepsLink, grant.grantor != 0 else { return }
    works -= 1
    if isIdle { idle.send(()) }
  }
}
