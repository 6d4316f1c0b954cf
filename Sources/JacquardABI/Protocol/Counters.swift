import CJacquard
import Jacquard

@_cdecl("jacquard_connection_get_counters") @implementation
public func jacquard_connection_get_counters(
  _ connection: OpaquePointer?, _ counters: UnsafeMutablePointer<jacquard_counters>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let counts = handle.statistics.counts
    var copy = jacquard_counters()
    copy.links = counts.links
    copy.notifications = counts.notifications
    copy.responses = counts.responses
    copy.raw_packets = counts.rawPackets
    copy.dropped_fragments = counts.droppedFragments
    copy.dropped_notifications = counts.droppedNotifications
    copy.dropped_responses = counts.droppedResponses
    copy.dropped_copies = counts.droppedCopies
    copy.doubtful_values = counts.doubtfulValues
    copy.interruptions = counts.interruptions
    try Arguments.fill(counters, "counters", with: copy)
    return 0
  }
}
