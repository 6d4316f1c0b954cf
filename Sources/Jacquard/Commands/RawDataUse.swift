import JacquardWire

/// How to interpret values of the raw data characteristic: as fragments of packets, or as samples of a motion stream.
///
/// Samples must be neither joined nor acknowledged, but many look like a complete fragment. Therefore the requests to
/// start and stop a stream decide, no matter which part of the program sends them.
struct RawDataUse {
  private(set) var isStream = false
  /// Whether the tag was streaming before the request to start a stream.
  private var wasStream = false

  /// Called before a request is written, because samples may arrive before the response.
  mutating func requested(_ request: WireRequest) {
    guard request.isStreamStart else { return }
    wasStream = isStream
    isStream = true
  }

  mutating func answered(_ request: WireRequest, _ response: WireResponse) {
    let isOK = response.status == 0
    switch request.command {
    case .collectionStart where request.isStreamStart:
      isStream = wasStream || isOK && CollectionStatus(rawValue: response.start.dcStatus) == .logging
    case .collectionStop where isOK: isStream = false
    case .collectionStatus where isOK:
      if CollectionStatus(rawValue: response.dcStatusResponse.dcStatus) != .logging { isStream = false }
    case .unloadModule where isOK: if request.unloadModule.module.isMotion { isStream = false }
    case .deleteModule where isOK: if request.deleteModule.module.isMotion { isStream = false }
    default: break
    }
  }
}

extension WireRequest {
  /// The tag reads a missing mode as 0.
  var isStreamStart: Bool { command == .collectionStart && start.metadata.mode == 0 }
}

extension WireModuleDescriptor {
  fileprivate var isMotion: Bool { moduleID == IMUModule.module.rawValue }
}
