import JacquardWire

/// The values of DataCollectionStatus that the tag uses.
enum RecorderStatus {
  static let idle: UInt32 = 0
  static let logging: UInt32 = 1
  static let transferring: UInt32 = 2
  static let erasing: UInt32 = 3
  static let invalidState: UInt32 = 5
  static let lowStorage: UInt32 = 6
  static let lowBattery: UInt32 = 7
}

/// The motion recorder: its state and the stored sessions.
struct DataRecorder {
  /// The maximum number of samples of one recording; later samples are dropped.
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

  /// A recording that is interrupted by a reboot or an unloaded module is lost.
  mutating func interrupt() {
    run = nil
    status = RecorderStatus.idle
  }
}
