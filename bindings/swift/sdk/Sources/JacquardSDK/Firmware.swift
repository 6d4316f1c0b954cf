import Foundation
import OpenCombine

/// Firmware of a tag or a module in Google's cloud. Programs compile with these types, but no cloud is asked: see
/// `Firmware` of JacquardTags for updates from files.
public struct DFUUpdateInfo: Codable, Equatable {
  /// When it was published.
  public let date: String?
  /// As `Version.version(fromDecimalEncodedString:)` reads it.
  public let version: String
  /// Whether it must be installed.
  public let dfuStatus: DFUUpdateInfoStatus
  /// Vendor.
  public let vid: String
  /// Product.
  public let pid: String
  /// Module.
  public var mid: String?
}

/// Whether firmware must be installed.
public enum DFUUpdateInfoStatus: String, Codable {
  /// The firmware must be installed.
  case mandatory
  /// The firmware may be installed.
  case optional
  /// There is no firmware.
  case none
}

/// Identifiers of firmware.
public struct VidPidMid {
  /// Vendor.
  public let vid: String
  /// Product.
  public let pid: String
  /// Module.
  public var mid: String?

  /// These identifiers.
  public init(vid: String, pid: String, mid: String? = nil) {
    (self.vid, self.pid, self.mid) = (vid, pid, mid)
  }
}

/// Why the cloud did not answer.
public enum APIError: Error {
  /// Does not occur.
  case clientError
  /// Does not occur.
  case serverError
  /// Does not occur.
  case parsingFailed
  /// Does not occur.
  case downloadFailed
  /// Does not occur.
  case invalidURL
  /// Does not occur.
  case undefined
  /// The cloud is not used here.
  case noInternet

  /// A text for users.
  public var localizedDescription: String { "Firmware of the cloud is not available: update from files." }
}

/// Why firmware was not updated.
public enum FirmwareUpdateError: Error {
  /// The cloud did not answer.
  case api(APIError)
  /// Does not occur.
  case tagDisconnected
  /// Does not occur.
  case lowBattery
  /// There is no image.
  case dataUnavailable
  /// Does not occur.
  case moduleUnavailable
  /// No update is running.
  case invalidState(String)
  /// Does not occur.
  case transfer(Error)
  /// Does not occur.
  case execution(Error)
  /// Does not occur.
  case internalError(String)

  /// A text for users.
  public var localizedDescription: String {
    switch self {
    case .api(let error): error.localizedDescription
    case .invalidState(let text): text
    default: "The firmware was not updated: \(self)."
    }
  }
}

/// The state of an update.
public enum FirmwareUpdateState {
  /// No update is running.
  case idle
  /// Does not occur.
  case preparingForTransfer
  /// Does not occur.
  case transferring(Float)
  /// Does not occur.
  case transferred
  /// Does not occur.
  case executing
  /// Does not occur.
  case completed
  /// The update did not start.
  case error(FirmwareUpdateError)
  /// Does not occur.
  case stopped
}

/// The answer about several modules.
public typealias DFUUpdatePublisher = AnyPublisher<[Result<DFUUpdateInfo, APIError>], FirmwareUpdateError>

/// Updates of firmware from the cloud.
public protocol FirmwareUpdateManager: AnyObject {
  /// The state: the current one, then each change.
  var state: AnyPublisher<FirmwareUpdateState, Never> { get }
  /// Asks the cloud for firmware.
  func checkUpdates(
    vendorID: String?, productID: String?, forceCheck: Bool
  ) -> AnyPublisher<[DFUUpdateInfo], FirmwareUpdateError>
  /// Installs firmware.
  func applyUpdates(_ updates: [DFUUpdateInfo], shouldAutoExecute: Bool) -> AnyPublisher<FirmwareUpdateState, Never>
  /// Executes firmware that was transferred.
  func executeUpdates()
  /// Asks the cloud for modules.
  func checkModuleUpdates(_ modules: [Module], forceCheck: Bool) -> DFUUpdatePublisher
  /// Asks the cloud for the modules of the tag.
  func checkModuleUpdates(forceCheck: Bool) -> DFUUpdatePublisher
  /// Stops an update.
  func stopUpdates() throws
}

extension FirmwareUpdateManager {
  /// Asks the cloud for firmware of the tag and its gear.
  public func checkUpdates(forceCheck: Bool) -> AnyPublisher<[DFUUpdateInfo], FirmwareUpdateError> {
    checkUpdates(vendorID: nil, productID: nil, forceCheck: forceCheck)
  }

  /// Installs modules.
  public func applyModuleUpdates(_ updates: [DFUUpdateInfo]) -> AnyPublisher<FirmwareUpdateState, Never> {
    applyUpdates(updates, shouldAutoExecute: true)
  }
}

/// Answers that there is no cloud.
final class CloudlessFirmwareUpdateManager: FirmwareUpdateManager {
  private let states: Feed<FirmwareUpdateState, Never>

  init(_ queue: DispatchQueue) { states = Feed(queue, .latest, first: [.idle]) }

  var state: AnyPublisher<FirmwareUpdateState, Never> { states.eraseToAnyPublisher() }

  func checkUpdates(
    vendorID: String?, productID: String?, forceCheck: Bool
  ) -> AnyPublisher<[DFUUpdateInfo], FirmwareUpdateError> { unavailable() }

  func applyUpdates(_ updates: [DFUUpdateInfo], shouldAutoExecute: Bool) -> AnyPublisher<FirmwareUpdateState, Never> {
    Feed(states.queue, .latest, first: [.error(.dataUnavailable)]).eraseToAnyPublisher()
  }

  func executeUpdates() {}

  func checkModuleUpdates(_ modules: [Module], forceCheck: Bool) -> DFUUpdatePublisher { unavailable() }

  func checkModuleUpdates(forceCheck: Bool) -> DFUUpdatePublisher { unavailable() }

  func stopUpdates() throws { throw FirmwareUpdateError.invalidState("No update is running.") }

  private func unavailable<Output>() -> AnyPublisher<Output, FirmwareUpdateError> {
    let feed = Feed<Output, FirmwareUpdateError>(states.queue, .nothing)
    feed.fail(.api(.noInternet))
    return feed.eraseToAnyPublisher()
  }
}
