/// The firmware images that the tag has stored, beside the firmware that runs. They outlive links and restarts.
struct FirmwareStore {
  struct Target: Hashable {
    var vendorID: UInt32
    var productID: UInt32
  }

  struct Image {
    var finalSize: UInt32
    var finalCRC: UInt32
    private(set) var bytes: [UInt8] = []
    private(set) var crc: UInt16 = 0

    init(finalSize: UInt32, finalCRC: UInt32) {
      self.finalSize = finalSize
      self.finalCRC = finalCRC
    }

    var isComplete: Bool { bytes.count == Int(finalSize) }

    mutating func append(_ block: some Sequence<UInt8>) {
      bytes += block
      crc = Checksum.crc16(block, continuing: crc)
    }

    /// Loses data that was not flushed, as a power failure does.
    mutating func forget(_ count: Int) {
      bytes.removeLast(min(count, bytes.count))
      crc = Checksum.crc16(bytes)
    }
  }

  /// The second slot of each target.
  var images: [Target: Image] = [:]
  /// The image for write requests, which do not specify one. The host selects it once per link, by status or prepare.
  var current: Target?
  /// The image that is being installed, from the execute request to its end.
  var running: (target: Target, image: Image)?
  /// The version that the tag reports after the update; nil for the next minor version.
  var nextVersion: Version?
  var writeTime: Duration = .zero
  var verification = FirmwareVerification.accepted
  var powerLoss: PowerLoss?
  var gearReport = GearReport.regular
  /// One bit of the next block changes while it is stored.
  var corruptNext = false
  /// After this many blocks the battery has one percent less; nil: it does not drain.
  var blocksPerPercent: Int?
}

/// When the power fails, once.
public enum PowerLoss: Equatable, Sendable {
  /// When this many bytes of the image are stored; of them, the last ones are lost.
  case byte(Int, forgotten: Int)
  case step(SwapStep)
}

/// The steps from the execute request to the new version. Up to `mark` a restart returns to the old version with the
/// image still complete; from `restart` on the boot loader continues; an unconfirmed first start is reverted.
public enum SwapStep: Int, CaseIterable, Comparable, Sendable {
  case verify = 1
  case mark, restart, check, swap, confirm

  public static func < (left: SwapStep, right: SwapStep) -> Bool { left.rawValue < right.rawValue }
}

/// The boot loader's verdict on an image. It checks more than the checksum.
public enum FirmwareVerification: String, CaseIterable, Sendable {
  case accepted
  /// The execute request is refused.
  case refused
  /// The tag restarts with the old version, without the image.
  case reverted
}

/// The report of the end of a gear update.
public enum GearReport: Equatable, Sendable {
  case regular
  case never
  case failed(UInt32)
  /// The image names other gear.
  case foreign
}
