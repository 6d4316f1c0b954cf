import JacquardWire

@testable import Jacquard

extension Target {
  /// A manifest, and a tag that answers a firmware transfer.
  static let updates = Target(name: "updates") { input in
    _ = try? FirmwareManifest(json: Array(input))
    var choices = Choices(input)
    let bytes = (0..<1 + Int(choices.byte()) * 3).map { UInt8(truncatingIfNeeded: $0) }
    let image = try FirmwareImage(
      bytes,
      .init(vendor: PartID(rawValue: 1), product: PartID(rawValue: 2), version: .init(major: 1, minor: 0, point: 0)))
    var transfer = ImageTransfer(image)
    var step = transfer.resume(status(&choices, image))
    for _ in 0..<100 where !choices.isEmpty {
      let before = transfer.offset
      require((0...bytes.count).contains(before), "an offset beyond the image")
      switch step {
      case .prepare:
        step = transfer.prepared()
        require(transfer.offset == 0, "prepared elsewhere than at the beginning")
      case .askAgain: step = transfer.resume(status(&choices, image))
      case .complete:
        require(before == bytes.count, "complete without its end")
        return
      case .write(let block):
        require(block.lowerBound == before && (1...128).contains(block.count), "a block elsewhere")
        require(block.upperBound <= bytes.count, "a block beyond the image")
        guard let next = try? transfer.wrote(block, response(&choices, image, block)) else { return }
        step = next
        require([before, block.upperBound].contains(transfer.offset), "an offset that was not sent")
      }
    }
  }

  /// Often the status that a good tag reports, so that transfers proceed.
  private static func status(_ choices: inout Choices, _ image: FirmwareImage) -> StoredImage {
    let size = UInt32(choices.byte()) * 3
    var stored = StoredImage(
      finalSize: UInt32(image.bytes.count), finalChecksum: UInt32(image.checksum), currentSize: size,
      currentChecksum: UInt32(image.checksum(ofFirst: Int(size))))
    switch choices.byte() {
    case 0: stored.finalSize = choices.number()
    case 1: stored.finalChecksum = choices.number()
    case 2: stored.currentSize = choices.number()
    case 3: stored.currentChecksum = choices.number()
    default: break
    }
    return stored
  }

  private static func response(
    _ choices: inout Choices, _ image: FirmwareImage, _ block: Range<Int>
  ) -> WireDFUWriteResponse {
    var response = WireDFUWriteResponse()
    response.offset = UInt32(block.upperBound)
    response.crc = UInt32(image.checksum(ofFirst: block.upperBound))
    switch choices.byte() {
    case 0: response.offset = choices.number()
    case 1: response.crc = choices.number()
    default: break
    }
    return response
  }
}
