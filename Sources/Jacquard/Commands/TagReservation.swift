import EventLoop

/// What only one program at a time may do with a tag. The service's messages contain the numbers.
enum ReservationKind: UInt32 {
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
/// library do that. Without the service there is no other program.
final class TagReservation {
  weak var service: ServiceSource?
  /// Everything that is reserved, with repetitions. Another service has to be asked again.
  private(set) var held: [ReservationKind] = []

  /// - Parameter turn: that of the command that needs it, if any; the wait ends when it fails.
  func take(_ kind: ReservationKind, in turn: CommandTurn? = nil) async throws(JacquardError) {
    try await service?.reserve(kind, in: turn)
    held.append(kind)
  }

  func release(_ kind: ReservationKind) {
    guard let index = held.firstIndex(of: kind) else { return }
    held.remove(at: index)
    service?.release(kind)
  }
}
