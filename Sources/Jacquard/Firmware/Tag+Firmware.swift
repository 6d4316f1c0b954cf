import EventLoop
import JacquardWire

extension Tag {
  func storedImage(_ image: FirmwareImage) async throws(JacquardError) -> StoredImage {
    let command = TagCommand<StoredImage>(.dfuStatus, isRepeatable: true) {
      $0.dfuStatus.vendorID = image.identity.vendor.rawValue
      $0.dfuStatus.productID = image.identity.product.rawValue
    } answer: {
      $0.hasDfuStatus ? StoredImage($0.dfuStatus) : nil
    }
    return try await patiently(command)
  }

  func prepare(_ image: FirmwareImage, component: UInt32) async throws(JacquardError) {
    let command = TagCommand<Void>(.dfuPrepare) {
      $0.dfuPrepare.component = component
      $0.dfuPrepare.finalSize = UInt32(image.bytes.count)
      $0.dfuPrepare.finalCrc = UInt32(image.checksum)
      $0.dfuPrepare.vendorID = image.identity.vendor.rawValue
      $0.dfuPrepare.productID = image.identity.product.rawValue
    } answer: { _ in
    }
    try await patiently(command)
  }

  func write(_ block: Range<Int>, of image: FirmwareImage) async throws(JacquardError) -> WireDFUWriteResponse {
    let command = TagCommand<WireDFUWriteResponse>(.dfuWrite) {
      $0.dfuWrite.offset = UInt32(block.lowerBound)
      $0.dfuWrite.data = Array(image.bytes[block])
    } answer: {
      $0.hasDfuWrite ? $0.dfuWrite : nil
    }
    return try await send(command, nil)
  }

  /// - Parameter willSend: runs before the request, which is sent at most once.
  func execute(_ image: FirmwareImage, _ willSend: () -> Void) async throws(JacquardError) {
    let command = TagCommand<Void>(.dfuExecute) {
      $0.dfuExecute.vendorID = image.identity.vendor.rawValue
      $0.dfuExecute.productID = image.identity.product.rawValue
      $0.dfuExecute.updateSched = .updateNow
    } answer: { _ in
    }
    try await inTurn(nil) { turn throws(JacquardError) in
      willSend()
      try await turn.send(command)
    }
  }

  /// Repeats a request that the tag is too busy for. This does no harm even if the tag has executed the request.
  private func patiently<Answer>(_ command: TagCommand<Answer>) async throws(JacquardError) -> Answer {
    for pause in link.deadlines.busyPauses {
      do throws(JacquardError) {
        return try await send(command, nil)
      } catch {
        guard error.tagStatus == TagStatus.busy.rawValue else { throw error }
        do { try await link.loop.sleep(pause) } catch { throw .cancelled }
      }
    }
    return try await send(command, nil)
  }

  /// Waits until the link ends; false if it is still up after `limit`.
  func linkEnds(within limit: Duration) async throws(JacquardError) -> Bool {
    do throws(JacquardError) {
      try await link.commands.value(of: Completion<Void, JacquardError>(), limit: limit)
    } catch {
      if error.isCancellation { throw error }
      return isStale
    }
    return true
  }
}
