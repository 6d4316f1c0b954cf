/// Decides in the service which program has a reservation.
struct Arbiter {
  typealias Owner = CommandTurn.Origin

  /// The most reservations that are kept for one program: a program has a few.
  private static let most = 64

  private(set) var owner: (id: Owner, kinds: [ReservationKind])?

  /// Returns the present owner and its reservations, if that is another program.
  mutating func reserve(_ kind: ReservationKind, for new: Owner) -> (id: Owner, kinds: [ReservationKind])? {
    guard let present = owner else {
      owner = (new, [kind])
      return nil
    }
    guard present.id == new else { return present }
    if present.kinds.count < Self.most { owner?.kinds.append(kind) }
    return nil
  }

  mutating func release(_ kind: ReservationKind, of id: Owner) {
    guard owner?.id == id, let index = owner?.kinds.firstIndex(of: kind) else { return }
    owner?.kinds.remove(at: index)
    if owner?.kinds.isEmpty ?? false { owner = nil }
  }

  /// Removes the program's reservations, and returns them.
  mutating func forget(_ id: Owner) -> [ReservationKind] {
    guard let present = owner, present.id == id else { return [] }
    owner = nil
    return present.kinds
  }

  func has(_ id: Owner, _ kind: ReservationKind) -> Bool { owner?.id == id && owner?.kinds.contains(kind) ?? false }
}
