import BlueZ
import EventLoop
import Sharing

/// Which programs have the links of tags, without connecting to these tags.
extension Core {
  /// The tags with the processes of their hosts, which are not disturbed.
  func withHosts(_ tags: [KnownTag]) async throws(JacquardError) -> [KnownTag] {
    guard !tags.isEmpty, case .on(let directory, isExclusive: _) = sharing, let bus = try await knownBus() else {
      return tags
    }
    var tags = tags
    for index in tags.indices {
      let place = MeetingPlace(directory, bus: bus, tag: tags[index].identifier.text, loop: loop)
      tags[index].hostProcess = (try? place.currentHost()) ?? 0
    }
    return tags
  }

  /// The ID of the bus. Nil if there is no bus, or it does not respond in time.
  private func knownBus() async throws(JacquardError) -> String? {
    let id = try await cache.changes.until(within: deadlines.busID, on: loop) {
      [bluez] () throws(JacquardError) -> String? in
      if let id = bluez.busID { return id }
      if case .noBus = bluez.availability { return "" }
      return nil
    }
    return id == "" ? nil : id
  }
}
