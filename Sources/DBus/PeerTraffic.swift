import Glibc

/// The messages of one peer. A sender numbers its messages, and a bus passes the numbers on, so a number missing here
/// belongs to a message that went to another program.
public final class PeerTraffic {
  private let peer: [CChar]
  private var received: UInt32 = 0
  private var lastSerial: UInt32 = 0

  init(_ peer: String) { self.peer = Array(peer.utf8CString) }

  /// Changes with each message that was not received here.
  public var elsewhere: UInt32 { lastSerial &- received }

  func note(_ sender: UnsafePointer<CChar>?, _ serial: UInt32) {
    if let sender, strcmp(peer, sender) == 0 { note(serial) }
  }

  /// Records a message that is known to be from this peer.
  func note(_ serial: UInt32) {
    received &+= 1
    lastSerial = serial
  }
}
