import CJacquard
import Jacquard

@_cdecl("jacquard_tag_list_sessions") @implementation
public func jacquard_tag_list_sessions(
  _ tag: OpaquePointer?, _ options: UnsafePointer<jacquard_request_options>?,
  _ callback: jacquard_sessions_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let callback = try required(callback, "callback")
    return try handle.manager.request(options, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.sessions(deadline: $0)
    } _: { result, userData in
      switch result {
      case .success(let sessions): withC(sessions) { callback($0, sessions.count, nil, userData) }
      case .failure(let error): withCError(error) { callback(nil, 0, $0, userData) }
      }
    }
  }
}

@_cdecl("jacquard_tag_erase_session") @implementation
public func jacquard_tag_erase_session(
  _ tag: OpaquePointer?, _ session: UnsafePointer<jacquard_session>?,
  _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(tag, TagHandle.self) { handle in
    let session = try Arguments.session(session)
    return try handle.manager.request(options, callback, userData, destroy, request) { [tag = handle.tag] in
      try await tag.value.erase(session, deadline: $0)
    }
  }
}

extension Arguments {
  static func session(_ pointer: UnsafePointer<jacquard_session>?) throws -> StoredSession {
    let given = try required(options(pointer), "session")
    guard (-1...0xffff).contains(given.checksum) else {
      throw JacquardError.invalid("checksum is \(given.checksum); expected -1 to 65535.")
    }
    var labels = RecordingLabels(session: try required(try string(given.name, "name"), "name"))
    labels.campaign = try string(given.campaign, "campaign") ?? labels.campaign
    labels.group = try string(given.group, "group") ?? labels.group
    labels.subject = try string(given.subject, "subject") ?? labels.subject
    labels.product = try string(given.product, "product") ?? labels.product
    return StoredSession(labels: labels, byteCount: given.size, checksum: UInt16(exactly: given.checksum))
  }
}

private func withC(
  _ sessions: [StoredSession], _ body: (UnsafePointer<UnsafePointer<jacquard_session>?>?) -> Void
) {
  let strings = CStrings()
  let copies = sessions.map { session in
    var copy = jacquard_session(session.labels, strings)
    copy.size = session.byteCount
    copy.checksum = session.checksum.map { Int32($0) } ?? -1
    return copy
  }
  withPointers(to: copies, body)
  withExtendedLifetime(strings) {}
}

extension jacquard_session {
  init(_ labels: RecordingLabels, _ strings: CStrings) {
    self.init()
    struct_size = UInt32(MemoryLayout<jacquard_session>.stride)
    name = strings(labels.session)
    campaign = strings(labels.campaign)
    group = strings(labels.group)
    subject = strings(labels.subject)
    product = strings(labels.product)
  }
}
