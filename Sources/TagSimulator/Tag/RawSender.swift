import EventLoop

/// The tag's end of a session download: one packet on the raw data channel at a time, repeated until it is
/// acknowledged.
struct RawSender {
  static let chunk = 508
  static let repeatAfter: Duration = .seconds(1)
  static let attempts = 5

  struct Download {
    var file: [UInt8]
    var offset: Int
    var sent: ArraySlice<UInt8> = []
    var attempt = 0
    var timer: LoopTimer?
  }

  var download: Download?
  /// The packet that a stopped download was sending: the program may have acknowledged it before it knew of the stop.
  var abandoned: UInt8?
  /// The number of the next packet; it wraps after 255.
  var sequence: UInt8 = 0
  var chunk = RawSender.chunk
  /// Sequence numbers of single packets sent by a scenario.
  var unacknowledged: [UInt8] = []
}

extension SoftwareTag {
  /// A packet on the raw data channel: an acknowledgement, or data for the tag.
  func takeRawPacket(_ packet: [UInt8]) {
    guard packet.count >= 2 else { return violate(.rawPacketMalformed, bytes: packet) }
    journal.rawPackets.append(packet)
    if packet.count == 2, packet[1] == 0x41 {
      if let sent = downloads.unacknowledged.firstIndex(of: packet[0]) {
        downloads.unacknowledged.remove(at: sent)
        journal.acknowledged += 1
        return
      }
      if let download = downloads.download, download.attempt > 0, packet[0] == downloads.sequence {
        return acknowledged()
      }
      // Each copy of a repeated packet may be acknowledged, also after the download has been stopped.
      if downloads.sequence == packet[0] &+ 1 || downloads.abandoned == packet[0] { return }
      // The tag does not know the contents of values that a scenario sends.
      if profile.isMute { return }
      return violate(.acknowledgementUnexpected, "sequence \(packet[0])", bytes: packet)
    }
    send([packet[0], 0x41], on: .rawData)
  }

  func startDownload(_ file: [UInt8], from offset: Int) {
    recorder.status = RecorderStatus.transferring
    if profile.behaviour.restartsPacketNumbers { downloads.sequence = 0 }
    downloads.download = .init(file: file, offset: offset)
    downloads.abandoned = nil
    sendChunk()
  }

  func stopDownload() {
    if let download = downloads.download, download.attempt > 0 { downloads.abandoned = downloads.sequence }
    downloads.download?.timer?.cancel()
    downloads.download = nil
    if recorder.status == RecorderStatus.transferring { recorder.status = RecorderStatus.idle }
  }

  private func sendChunk() {
    guard var download = downloads.download else { return }
    guard download.offset < download.file.count else { return stopDownload() }
    if download.attempt == RawSender.attempts {
      violate(.acknowledgementMissing, "sequence \(downloads.sequence), \(download.attempt) attempts")
      return stopDownload()
    }
    if download.attempt > 0 { journal.resent += 1 }
    download.attempt += 1
    download.sent = download.file[download.offset...].prefix(downloads.chunk)
    download.timer = scheduleIfLinked(after: RawSender.repeatAfter) { [weak self] in self?.sendChunk() }
    downloads.download = download
    send([downloads.sequence] + download.sent, on: .rawData)
  }

  private func acknowledged() {
    guard var download = downloads.download else { return }
    journal.acknowledged += 1
    download.timer?.cancel()
    download.offset += download.sent.count
    download.attempt = 0
    downloads.download = download
    downloads.sequence &+= 1
    sendChunk()
  }
}
