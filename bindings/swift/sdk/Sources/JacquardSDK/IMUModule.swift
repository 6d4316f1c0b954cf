import Dispatch
import Foundation
@_spi(Callbacks) import JacquardTags
import OpenCombine

/// Records and streams motion. Publishers deliver their values and do not finish; an error completes them.
public protocol IMUModule {
  /// Loads the motion module, which the tag must have.
  func initialize() -> AnyPublisher<Void, ModuleError>
  /// Loads the motion module.
  func activateModule() -> AnyPublisher<Void, ModuleError>
  /// Unloads the motion module, so that motion wakes the tag again.
  func deactivateModule() -> AnyPublisher<Void, ModuleError>
  /// Starts a recording on the tag, which continues without a link.
  func startRecording(
    sessionID: String, campaignID: String, groupID: String, productID: String, subjectID: String,
    samplingRate: IMUSamplingRate
  ) -> AnyPublisher<DataCollectionStatus, Error>
  /// Stops the recording.
  func stopRecording() -> AnyPublisher<Void, Error>
  /// The recordings on the tag: one value for each.
  func listSessions() -> AnyPublisher<IMUSessionInfo, Error>
  /// Erases a recording.
  func eraseSession(_ session: IMUSessionInfo) -> AnyPublisher<Void, Error>
  /// Erases all recordings.
  func eraseAllSessions() -> AnyPublisher<Void, Error>
  /// Downloads a recording into a file. It stays on the tag.
  func downloadIMUSessionData(session: IMUSessionInfo) -> AnyPublisher<IMUSessionDownloadState, Error>
  /// Stops the download. The next one continues it.
  func stopDownloading() -> AnyPublisher<Void, Error>
  /// Reads a file that was downloaded.
  func parseIMUSession(at url: URL) -> AnyPublisher<(fullyParsed: Bool, session: IMUSessionData), Error>
  /// Reads the file of a recording that was downloaded.
  func parseIMUSession(_ session: IMUSessionInfo) -> AnyPublisher<(fullyParsed: Bool, session: IMUSessionData), Error>
  /// Streams motion until `stopIMUStreaming()`, also over lost links.
  func startIMUStreaming(samplingRate: IMUSamplingRate) -> AnyPublisher<IMUSample, Error>
  /// Stops the stream.
  func stopIMUStreaming() -> AnyPublisher<Void, Error>
  /// The purpose of the capture that runs.
  func getDataCollectionMode() -> AnyPublisher<DataCollectionMode, Error>
}

/// Records and streams the motion of a connected tag.
public final class IMUModuleImplementation: IMUModule {
  private let queue: DispatchQueue
  private let tag: JacquardTags.Tag?
  private let lock = NSLock()
  private var stream: Events<MotionEvent>?
  private var download: Task<Void, Never>?

  /// - Parameter connectedTag: another implementation of the protocol cannot be used: all calls fail
  public init(publishQueue: DispatchQueue = .main, connectedTag: ConnectedTag) {
    queue = publishQueue
    tag = (connectedTag as? LinkedTag)?.tag
  }

  deinit { download?.cancel() }

  /// Loads the motion module, which the tag must have.
  public func initialize() -> AnyPublisher<Void, ModuleError> {
    module(.failedToLoadModule) { try await $0.prepareMotion() }
  }

  /// Loads the motion module.
  public func activateModule() -> AnyPublisher<Void, ModuleError> {
    module(.failedToActivateModule) { try await $0.prepareMotion() }
  }

  /// Unloads the motion module, so that motion wakes the tag again.
  public func deactivateModule() -> AnyPublisher<Void, ModuleError> {
    module(.failedToDeactivateModule) { try await $0.releaseMotion() }
  }

  /// Starts a recording on the tag, which continues without a link.
  public func startRecording(
    sessionID: String, campaignID: String, groupID: String, productID: String, subjectID: String,
    samplingRate: IMUSamplingRate
  ) -> AnyPublisher<DataCollectionStatus, Error> {
    let info = IMUSessionInfo(
      sessionID: sessionID, campaignID: campaignID, groupID: groupID, productID: productID, subjectID: subjectID)
    return perform {
      try await $0.startRecording(info.session, samplingRate.settings)
      return DataCollectionStatus.logging
    }
  }

  /// Stops the recording.
  public func stopRecording() -> AnyPublisher<Void, Error> { perform { try await $0.stopMotion() } }

  /// The state of the capture.
  public func checkStatus() -> AnyPublisher<DataCollectionStatus, Error> {
    perform { DataCollectionStatus(try await $0.motionStatus()) }
  }

  /// The recordings on the tag: one value for each.
  public func listSessions() -> AnyPublisher<IMUSessionInfo, Error> {
    deliver { tag, feed in try await tag.sessions().forEach { feed.send(IMUSessionInfo($0)) } }
  }

  /// Erases a recording.
  public func eraseSession(_ session: IMUSessionInfo) -> AnyPublisher<Void, Error> {
    perform { try await $0.erase(session.session) }
  }

  /// Erases all recordings.
  public func eraseAllSessions() -> AnyPublisher<Void, Error> { perform { try await $0.eraseAllSessions() } }

  /// Downloads a recording into a file. It stays on the tag.
  public func downloadIMUSessionData(session: IMUSessionInfo) -> AnyPublisher<IMUSessionDownloadState, Error> {
    deliver({ [weak self] task in self?.lock.withLock { self?.download = task } }) { tag, feed in
      guard let stored = try await tag.sessions().first(where: session.isSame) else {
        throw ModuleError.invalidParameter
      }
      let url = try Self.file(of: session)
      let onProgress: @Sendable (DownloadProgress) -> Void = { progress in
        feed.send(.downloading(progress.total == 0 ? 0 : progress.received * 100 / progress.total))
      }
      do {
        try await tag.connection.download(stored, to: url.path, onProgress: onProgress)
      } catch let error as JacquardError where error.code == .damagedSession {
        // The file may be that of an earlier recording with the same names.
        try? FileManager.default.removeItem(at: url)
        try await tag.connection.download(stored, to: url.path, onProgress: onProgress)
      }
      feed.send(.downloaded(url))
    }
  }

  /// Stops the download. The next one continues it.
  public func stopDownloading() -> AnyPublisher<Void, Error> {
    lock.withLock { download }?.cancel()
    return perform { _ in }
  }

  /// Reads a file that was downloaded.
  public func parseIMUSession(at url: URL) -> AnyPublisher<(fullyParsed: Bool, session: IMUSessionData), Error> {
    request(queue, mapping: Self.error) { try Self.parse(url) }
  }

  /// Reads the file of a recording that was downloaded.
  public func parseIMUSession(
    _ session: IMUSessionInfo
  ) -> AnyPublisher<(fullyParsed: Bool, session: IMUSessionData), Error> {
    request(queue, mapping: Self.error) { try Self.parse(Self.file(of: session)) }
  }

  /// Streams motion until `stopIMUStreaming()`, also over lost links.
  public func startIMUStreaming(samplingRate: IMUSamplingRate) -> AnyPublisher<IMUSample, Error> {
    let feed = Feed<IMUSample, Error>(queue, .nothing)
    do {
      guard let tag else { throw ModuleError.moduleUnavailable }
      let events = try tag.connection.motion(samplingRate.settings)
      replaceStream(events)
      events.deliver {
        if case .samples(let samples, _, _) = $0 { samples.forEach { feed.send(IMUSample($0)) } }
      } onEnd: { error in
        if let error { feed.fail(Self.error(error)) }
      }
    } catch {
      feed.fail(Self.error(error))
    }
    return feed.eraseToAnyPublisher()
  }

  /// Stops the stream.
  public func stopIMUStreaming() -> AnyPublisher<Void, Error> {
    replaceStream(nil)
    return perform { try await $0.stopMotion() }
  }

  /// The purpose of the capture that runs.
  public func getDataCollectionMode() -> AnyPublisher<DataCollectionMode, Error> {
    perform {
      switch try await $0.motionStatus().activity {
      case .recording: DataCollectionMode.store
      case .streaming, .capturing: DataCollectionMode.streaming
      default: DataCollectionMode.none
      }
    }
  }

  // MARK: Details

  /// A stream ends with its last reference, outside of the lock.
  private func replaceStream(_ next: Events<MotionEvent>?) {
    let last = lock.withLock {
      defer { stream = next }
      return stream
    }
    _ = last
  }

  private func perform<Value>(_ body: @escaping (JacquardTags.Tag) async throws -> Value) -> AnyPublisher<Value, Error>
  {
    request(queue, mapping: Self.error) { [tag] in
      guard let tag else { throw ModuleError.moduleUnavailable }
      return try await body(tag)
    }
  }

  private func module(
    _ failure: ModuleError, _ body: @escaping (JacquardTags.Tag) async throws -> Void
  ) -> AnyPublisher<Void, ModuleError> {
    perform(body).mapError { $0 as? ModuleError ?? failure }.eraseToAnyPublisher()
  }

  /// A request with several values.
  private func deliver<Value>(
    _ started: (Task<Void, Never>) -> Void = { _ in },
    _ body: @escaping (JacquardTags.Tag, Feed<Value, Error>) async throws -> Void
  ) -> AnyPublisher<Value, Error> {
    let feed = Feed<Value, Error>(queue, .everything(limit: 4096))
    let task = Task.immediate { [tag] in
      do {
        guard let tag else { throw ModuleError.moduleUnavailable }
        try await body(tag, feed)
      } catch {
        feed.fail(Self.error(error))
      }
    }
    started(task)
    return feed.eraseToAnyPublisher()
  }

  private static func error(_ error: Error) -> Error { ModuleError(error) ?? commandError(error) }

  /// The name contains those of the recording, without characters that a path cannot contain.
  private static func file(of session: IMUSessionInfo) throws -> URL {
    let folders = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
    guard let folder = folders.first?.appendingPathComponent("JacquardSDK") else {
      throw ModuleError.directoryUnavailable
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw ModuleError.directoryUnavailable
    }
    let names = [session.campaignID, session.groupID, session.subjectID, session.productID, session.sessionID]
    let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "_"))
    let name = names.map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }.joined(separator: "-")
    return folder.appendingPathComponent("\(name).bin")
  }

  private static func parse(_ url: URL) throws -> (fullyParsed: Bool, session: IMUSessionData) {
    guard let file = try? Data(contentsOf: url) else { throw ModuleError.directoryUnavailable }
    let reader = try MotionReader()
    var info: IMUSessionInfo?
    var samples: [IMUSample] = []
    for part in try reader.read([UInt8](file)) {
      switch part {
      case .header(let session, _): info = IMUSessionInfo(session)
      case .samples(let counts): samples += counts.map { IMUSample($0) }
      default: break
      }
    }
    guard let info else { throw ModuleError.emptyDataReceived }
    return (try reader.end().end == .complete, IMUSessionData(metadata: info, samples: samples))
  }
}
