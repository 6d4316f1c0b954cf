/// Two touches that are there together.
struct FingerPair: Sendable {
  let older: UInt32
  let newer: UInt32
  /// When the older one began, and when there were two.
  let began: Int64
  private let formed: Int64
  /// -1 until it is measured.
  private var firstDistance: Int32 = -1
  private var distance: Int32 = -1
  private var time: Int64
  private(set) var middle: Int32

  init(_ older: FollowedTouch, _ newer: TouchPoint) {
    (self.older, self.newer) = (older.id, newer.id)
    (began, formed, time) = (older.began, newer.time, newer.time)
    middle = (older.movement.last.position + newer.position) / 2
  }

  /// How much farther apart they are than at first.
  var change: Int32 { distance - firstDistance }
  var duration: Int64 { time - formed }

  mutating func measure(_ one: Movement, _ other: Movement) {
    guard !one.isEmpty, !other.isEmpty else { return }
    distance = abs(one.last.position - other.last.position)
    middle = (one.last.position + other.last.position) / 2
    time = max(one.last.time, other.last.time)
    if firstDistance < 0 { firstDistance = distance }
  }
}
