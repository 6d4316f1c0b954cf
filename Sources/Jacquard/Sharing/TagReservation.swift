import EventLoop

/// What only one program at a time may do with a tag. The numbers are those of the messages between programs.
enum ReservationKind: UInt8 {
  case recording = 1
  case stream
  case download
  case erasure
  case firmware
  case modules
  case unbinding

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

/// Keeps other programs from interfering with what this one does. Within one program it excludes nothing: the tag and the
/// library do that.
final class TagReservation {
  weak var host: HostRole?
  weak var guest: GuestRole?
  /// Everything that is reserved, with repetitions. Another host has to be asked again.
  private(set) var held: [ReservationKind] = []

  /// Waits only if another program has the link.
  ///
  /// - Parameter turn: that of the command that needs it, if any; the wait ends when it fails.
  func take(_ kind: ReservationKind, in turn: CommandTurn? = nil) async throws(JacquardError) {
    if let guest { try await guest.reserve(kind, in: turn) } else { try host?.reserve(kind) }
    held.append(kind)
  }

  func release(_ kind: ReservationKind) {
    guard let index = held.firstIndex(of: kind) else { return }
    held.remove(at: index)
    if let guest { guest.release(kind) } else { host?.release(kind) }
  }
}

/// Decides, in the program that has the link, which program has the reservation.
struct Arbiter {
  typealias Owner = CommandTurn.Origin

  private var owner: (id: Owner, kinds: [ReservationKind])?

  /// Returns the present owner and its activity if that is another one.
  mutating func reserve(_ kind: ReservationKind, for new: Owner) -> (Owner, ReservationKind)? {
    guard let present = owner else {
      owner = (new, [kind])
      return nil
    }
    guard present.id == new else { return present.kinds.last.map { (present.id, $0) } }
    owner?.kinds.append(kind)
    return nil
  }

  mutating func release(_ kind: ReservationKind, of id: Owner) {
    guard owner?.id == id, let index = owner?.kinds.firstIndex(of: kind) else { return }
    owner?.kinds.remove(at: index)
    if owner?.kinds.isEmpty ?? false { owner = nil }
  }

  /// Returns what it had reserved.
  mutating func forget(_ id: Owner) -> [ReservationKind] {
    guard let present = owner, present.id == id else { return [] }
    owner = nil
    return present.kinds
  }

  func has(_ id: Owner, _ kind: ReservationKind) -> Bool { owner?.id == id && owner?.kinds.contains(kind) ?? false }
}
