import Dispatch
import Foundation
import OpenCombine

/// Whether Bluetooth can be used, with the names and numbers of Core Bluetooth.
public enum CBManagerState: Int, CustomStringConvertible {
  /// Not known yet.
  case unknown = 0
  /// bluetoothd or its adapter restarts.
  case resetting = 1
  /// There is no adapter.
  case unsupported = 2
  /// The bus or bluetoothd denies access to this user.
  case unauthorized = 3
  /// The adapter is off.
  case poweredOff = 4
  /// Bluetooth can be used.
  case poweredOn = 5

  /// The name of the case.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "poweredOff"
    case .poweredOn: "poweredOn"
    }
  }
}

/// An option of a manager: a name under which tags are remembered for the next run of the program.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// Ignored: there is no dialog about an adapter that is off.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// An option of a scan: whether each report of a tag is delivered.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Ignored: only tags are reported.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

/// Finds tags and connects to them.
public protocol JacquardManager {
  /// A manager whose publishers deliver on a queue.
  init(
    publishQueue: DispatchQueue, options: [String: String]?, config: SDKConfig,
    restorePeripheralsHandler: (([UUID]) -> Void)?)

  /// Whether Bluetooth can be used: the current value, then each change.
  var centralState: AnyPublisher<CBManagerState, Never> { get }
  /// Whether a scan runs: the current value, then each change.
  var isScanning: AnyPublisher<Bool, Never> { get }
  /// The time limit of a first connection to a tag that was found.
  var connectionTimeoutDuration: TimeInterval { get }
  /// Tags that a scan finds.
  var advertisingTags: AnyPublisher<AdvertisedTag, Never> { get }

  /// Starts a scan, in place of a running one. Throws a `ManagerScanningError` unless Bluetooth is on.
  func startScanning(options: [String: Any]?) throws
  /// Stops the scan.
  func stopScanning()
  /// Has no effect: the SDK uses it to select firmware of the cloud.
  func setTargetUjtFirmwareVidPid(_ targetUjtFirmwareVidPid: VidPidMid?)
  /// The tags that are connected to this machine at this moment. Waits for bluetoothd.
  func preConnectedTags() -> [PreConnectedTag]
  /// Connects to a tag that was found, or joins its connection.
  func connect(_ tag: ConnectableTag) -> AnyPublisher<TagConnectionState, Error>
  /// Connects to a tag by its identifier, possibly of an earlier run, without a time limit, or joins its connection.
  func connect(_ identifier: UUID) -> AnyPublisher<TagConnectionState, Error>
  /// The connected tag, nil without a link: the current one, then each change. Without a connection it delivers
  /// nil and ends.
  func getConnectedTag(for identifier: UUID) -> AnyPublisher<ConnectedTag?, Never>
  /// Ends a connection.
  func disconnect(_ tag: ConnectedTag) -> AnyPublisher<TagConnectionState, Error>
  /// Ends a connection.
  func disconnect(_ identifier: UUID) -> AnyPublisher<TagConnectionState, Error>
}

/// Why a scan cannot start.
public enum ManagerScanningError: Error {
  /// Bluetooth cannot be used.
  case bluetoothUnavailable(CBManagerState)
}

/// Accepted so that programs compile: no server is asked.
public struct APIServer {
  /// Accepted and ignored.
  public init(baseURL: URL) {}
  /// The only server that programs name.
  public static var production: APIServer { APIServer(baseURL: URL(fileURLWithPath: "/")) }
}

/// Accepted so that programs compile: neither a key nor a server is used.
public final class SDKConfig {
  /// Accepted and ignored.
  public init(apiKey: String = "", server: APIServer = .production) {}
}

/// The version of the API that this module has.
public enum JacquardSDKVersion {
  /// "v1.0.0".
  public static var versionString: String { Version(major: 1, minor: 0, micro: 0).description }
}
