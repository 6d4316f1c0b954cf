import JacquardWire

/// DataCollectionStatus, as far as the tag uses it.
enum RecorderStatus {
  static let idle: UInt32 = 0
  static let logging: UInt32 = 1
  static let transferring: UInt32 = 2
  static let erasing: UInt32 = 3
  static let invalidState: UInt32 = 5
  static let lowStorage: UInt32 = 6
  static let lowBattery: UInt32 = 7
}

/// The motion recorder: what it is doing and the sessions it keeps.
struct DataRecorder {
  /// How many samples one recording holds; what comes after is lost.
  static let capacity = 20_000

  struct Session {
    var campaign: String
    var group: String
    var trial: String
    var subject: String
    var product: String
    var file: [UInt8]
  }

  struct Run {
    var metadata: WireDataCollectionMetadata
    var since: Duration
    var ticks: UInt32
    var isStreaming: Bool
  }

  var status = RecorderStatus.idle
  var sessions: [Session] = []
  var run: Run?
  var storageFull = false
  var eraseTime: Duration = .milliseconds(500)

  /// A recording that a reboot or an unloaded module cuts off is lost.
  mutating func interrupt() {
    run = nil
    status = RecorderStatus.idle
  }
}
