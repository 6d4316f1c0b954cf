import CJacquard
import Jacquard

@_cdecl("jacquard_manager_list_known") @implementation
public func jacquard_manager_list_known(
  _ manager: OpaquePointer?, _ options: UnsafePointer<jacquard_list_known_options>?,
  _ callback: jacquard_known_tags_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let callback = try required(callback, "callback")
    let chosen = try Arguments.options(options)
    let identifier = try chosen?.identifier.map { try Arguments.identifier($0) }
    return try handle.request(nil, userData, destroy, request) { [handle] _ in
      try handle.manager.value.knownTags(identifier)
    } _: { result, userData in
      switch result {
      case .success(let tags):
        CKnownTag.withAll(tags, handle.handle) { callback($0.baseAddress, $0.count, nil, userData) }
      case .failure(let error): withCError(error) { callback(nil, 0, $0, userData) }
      }
    }
  }
}

@_cdecl("jacquard_manager_update_known") @implementation
public func jacquard_manager_update_known(
  _ manager: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ profile: UnsafePointer<jacquard_profile_entry>?,
  _ profileCount: Int, _ options: UnsafePointer<jacquard_update_known_options>?, _ callback: jacquard_done_callback?,
  _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let identifier = try Arguments.identifier(identifier)
    let profile = try Arguments.profile(profile, profileCount)
    try ProfileEntry.check(profile)
    try Arguments.check(options)
    return try handle.request(nil, callback, userData, destroy, request) { [handle] _ in
      try await handle.manager.value.updateKnown(identifier, profile)
    }
  }
}

@_cdecl("jacquard_manager_unbind") @implementation
public func jacquard_manager_unbind(
  _ manager: OpaquePointer?, _ identifier: UnsafePointer<CChar>?, _ options: UnsafePointer<jacquard_unbind_options>?,
  _ callback: jacquard_done_callback?, _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(manager, ManagerHandle.self) { handle in
    let identifier = try Arguments.identifier(identifier)
    try Arguments.check(options)
    return try handle.request(nil, callback, userData, destroy, request) { [handle] _ in
      try await handle.manager.value.unbind(identifier)
    }
  }
}

/// A known tag in C, valid as long as this object.
final class CKnownTag {
  private let strings = CStrings()
  private let profile: UnsafeMutableBufferPointer<jacquard_profile_entry>
  let pointer = UnsafeMutablePointer<jacquard_known_tag>.allocate(capacity: 1)

  init(_ tag: KnownTag, _ manager: OpaquePointer?) {
    profile = .allocate(capacity: tag.profile.count)
    for (index, entry) in tag.profile.enumerated() {
      profile.initializeElement(
        at: index, to: jacquard_profile_entry(key: strings(entry.key), value: strings(entry.value)))
    }
    pointer.initialize(
      to: jacquard_known_tag(
        manager: manager, identifier: strings(tag.identifier.text), address: strings(tag.address),
        serial: strings(tag.serial), name: strings(tag.name), owner: strings(tag.owner ?? ""),
        profile: tag.profile.isEmpty ? nil : UnsafePointer(profile.baseAddress), profile_count: tag.profile.count,
        bound_at: tag.boundAt, last_connected: tag.lastConnected, wanted: tag.isWanted ? 1 : 0,
        reserved: 0))
  }

  deinit {
    pointer.deallocate()
    profile.deallocate()
  }

  static func withAll(
    _ tags: [KnownTag], _ manager: OpaquePointer?,
    _ body: (UnsafeBufferPointer<UnsafePointer<jacquard_known_tag>?>) -> Void
  ) {
    let copies = tags.map { CKnownTag($0, manager) }
    copies.map { Optional(UnsafePointer($0.pointer)) }.withUnsafeBufferPointer(body)
    withExtendedLifetime(copies) {}
  }
}
