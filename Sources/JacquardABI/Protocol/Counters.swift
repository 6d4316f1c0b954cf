import CJacquard
import Glibc
import Jacquard

@_cdecl("jacquard_connection_get_counters") @implementation
public func jacquard_connection_get_counters(
  _ connection: OpaquePointer?, _ counters: UnsafeMutablePointer<jacquard_counters>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let output = UnsafeMutableRawPointer(try required(counters, "counters"))
    let room = Int(output.loadUnaligned(as: UInt32.self))
    let known = MemoryLayout<jacquard_counters>.stride
    guard (known...4096).contains(room) else {
      throw JacquardError.invalid("struct_size is \(room); this library expects \(known) to 4096.")
    }

    let counts = handle.statistics.counts
    var copy = jacquard_counters()
    copy.struct_size = UInt32(room)
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
    memset(output, 0, room)
    memcpy(output, &copy, known)
    return 0
  }
}
