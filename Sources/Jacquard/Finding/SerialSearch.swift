import EventLoop

/// Finds the identifier of a tag of which the serial number is known: among the tags that are bound here, otherwise by
/// a scan. The scan continues until `end()`, which must be called when the link is up: BlueZ may remove a device that
/// is only known from discovery when discovery stops.
final class SerialSearch {
  private let core: Core
  private let serial: String
  private let limit: Duration?
  private let waitsForAdapter: Bool
  private var scan: Scan?

  /// - Parameters:
  ///   - serial: the serial number that the tag advertises, or a longer one that ends with it.
  ///   - limit: how long a scan may take; nil: for ever.
  init(_ core: Core, _ serial: String, within limit: Duration?, waitsForAdapter: Bool) {
    self.core = core
    self.serial = serial
    self.limit = limit
    self.waitsForAdapter = waitsForAdapter
  }

  func end() {
    scan?.close()
    scan = nil
  }

  func identifier() async throws(JacquardError) -> TagIdentifier {
    if let bound = core.knownTags.only(withSerial: serial) { return bound.identifier }
    let found = Completion<TagIdentifier, JacquardError>()
    var options = Scan.Options()
    (options.serial, options.timeout, options.waitForAdapter) = (serial, limit, waitsForAdapter)
    let scan = Scan(core, options) {
      found.succeed($0.identifier)
    } onEnd: { [serial] _, error in
      found.fail(error ?? JacquardError(.notFound, "Tag \(serial) was not found in time."))
    }
    self.scan = scan
    scan.start()
    return try await found.value()
  }
}
