import EventLoop
import JacquardWire

/// The part of an image that a tag has stored for one component, as its response to a status request says.
struct StoredImage: Equatable, Sendable {
  var finalSize: UInt32
  var finalChecksum: UInt32
  var currentSize: UInt32
  var currentChecksum: UInt32

  /// A part of an image that is not `image`: another program's transfer, which a new one would destroy.
  func isPartOfAnother(than image: FirmwareImage) -> Bool {
    !isMeant(for: image) && currentSize > 0 && currentSize < finalSize
  }

  private func isMeant(for image: FirmwareImage) -> Bool {
    finalSize == image.bytes.count && finalChecksum == image.checksum
  }

  /// How many bytes of the image are stored correctly; nil if the image must be prepared.
  func intactBytes(of image: FirmwareImage) -> Int? {
    guard isMeant(for: image), currentSize <= finalSize else { return nil }
    return image.checksum(ofFirst: Int(currentSize)) == currentChecksum ? Int(currentSize) : nil
  }
}

extension StoredImage {
  init(_ response: WireDFUStatusResponse) {
    self.init(
      finalSize: response.finalSize, finalChecksum: response.finalCrc, currentSize: response.currentSize,
      currentChecksum: response.currentCrc)
  }
}

/// Decides what a tag is sent next of one image. It has no state that the tag does not have: the tag's status alone
/// says where a transfer continues, in this program or another.
struct ImageTransfer {
  enum Step: Equatable {
    case prepare
    case write(Range<Int>)
    /// The tag's response contradicts what was sent: only its status can say what it stores.
    case askAgain
    case complete
  }

  let image: FirmwareImage
  /// The bytes that the tag stores correctly.
  private(set) var offset = 0

  init(_ image: FirmwareImage) { self.image = image }

  private var size: Int { image.bytes.count }

  private var next: Step {
    offset == size ? .complete : .write(offset..<min(offset + FirmwareImage.blockByteCount, size))
  }

  /// Continues after a status response. A part whose checksum is wrong is not continued, not even at its end.
  mutating func resume(_ stored: StoredImage) -> Step {
    guard let intact = stored.intactBytes(of: image) else {
      offset = 0
      return .prepare
    }
    offset = intact
    return next
  }

  mutating func prepared() -> Step {
    offset = 0
    return next
  }

  /// Continues after a block was written. The offset only moves forward, by what was sent.
  mutating func wrote(_ block: Range<Int>, _ response: WireDFUWriteResponse) throws(JacquardError) -> Step {
    // The reference SDK for Android accepts a response without it.
    guard !response.hasOffset || response.offset == block.upperBound else { return .askAgain }
    let expected = image.checksum(ofFirst: block.upperBound)
    guard response.crc == expected else {
      throw JacquardError(
        .damagedFirmware,
        "The tag stored bytes \(block.lowerBound) to \(block.upperBound) of \(size) with checksum \(response.crc) "
          + "instead of \(expected).")
    }
    offset = block.upperBound
    return next
  }
}

/// The rate of a transfer over the last seconds, and how long the rest will take.
struct TransferRate {
  /// Shorter parts of a transfer vary with the radio, longer ones hide a change.
  private static let window: Duration = .seconds(10)

  private var samples: [(time: LoopInstant, bytes: Int)] = []

  /// Measures the rate afresh after a pause, such as a lost link.
  mutating func restart() { samples = [] }

  mutating func note(_ bytes: Int, at time: LoopInstant) {
    if let last = samples.last, bytes < last.bytes { samples = [] }
    samples.append((time, bytes))
    if samples.count > 2, samples[1].time.duration(to: time) > Self.window { samples.removeFirst() }
  }

  /// Nil until it is known.
  var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let time = first.time.duration(to: last.time)
    guard last.bytes > first.bytes, time > .zero else { return nil }
    let seconds = time / .seconds(1)
    return Double(last.bytes - first.bytes) / seconds
  }
}
