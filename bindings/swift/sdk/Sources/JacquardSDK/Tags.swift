import Foundation
import JacquardTags
import OpenCombine

/// A tag.
public protocol JacquardTag {
  /// The identifier, the same on every adapter and machine.
  var identifier: UUID { get }
  /// The name for users.
  var displayName: String { get }
}

/// A tag for `connect()`.
public protocol ConnectableTag: JacquardTag {}

/// A tag that a scan has found.
public protocol AdvertisedTag: ConnectableTag {
  /// The end of the number that is printed on the tag.
  var pairingSerialNumber: String { get }
  /// Signal strength in dBm; 127 if unknown.
  var rssi: Float { get }
}

/// A tag that is connected to this machine.
public protocol PreConnectedTag: ConnectableTag {
  /// The identifier, the same on every adapter and machine.
  var identifier: UUID { get }
}

/// The data that gear reports.
public enum TouchMode {
  /// Gestures.
  case gesture
  /// Touch samples.
  case continuous
}

/// Why a name is refused.
public enum SetNameError: Swift.Error {
  /// The tag has this name, or it does not have 1 to 21 bytes.
  case invalidParameter
}

/// The place where subscriptions are made.
public protocol SubscribableTag {
  /// Notifications of one kind, until the link of the tag is lost.
  func subscribe<S: NotificationSubscription>(_ subscription: S) -> AnyPublisher<S.Notification, Never>
  /// Payloads of the raw data channel.
  func subscribeRawData() -> AnyPublisher<Data, Never>
  /// Payloads of the raw data channel as bytes.
  func subscribeRawBytes() -> AnyPublisher<[UInt8], Never>
  /// Values of the raw data characteristic, including their headers.
  func subscribeRawDataPacket() -> AnyPublisher<Data, Never>
}

/// A connected tag, for the duration of one link.
public protocol ConnectedTag: JacquardTag {
  /// The current name.
  var name: String { get }
  /// The current name, then each change.
  var namePublisher: AnyPublisher<String, Never> { get }
  /// One value after each `readRSSI()`: the strength of the last advertisement; 127 if unknown.
  var rssiPublisher: AnyPublisher<Float, Never> { get }
  /// The tag itself.
  var tagComponent: Component { get }
  /// The gear that is attached.
  var gearComponent: Component? { get }
  /// Reports that there is no cloud.
  var firmwareUpdateManager: FirmwareUpdateManager { get }
  /// The gear that is attached, nil for none: the current one, then each change.
  var connectedGear: AnyPublisher<Component?, Never> { get }

  /// Selects what gear reports.
  func setTouchMode(_ newTouchMode: TouchMode, for component: Component) -> AnyPublisher<Void, Error>
  /// Renames the tag, which ends its link. Throws a `SetNameError`.
  func setName(_ name: String) throws -> AnyPublisher<Void, Error>
  /// Sends a command now.
  func enqueue<R: CommandRequest>(_ commandRequest: R) -> AnyPublisher<R.Response, Error>
  /// Sends a command now. The library decides how often: commands that only read three times, all others once.
  func enqueue<R: CommandRequest>(_ commandRequest: R, retries: Int) -> AnyPublisher<R.Response, Error>
  /// Makes subscriptions. The first call receives the notifications that have arrived since the link was established.
  func registerSubscriptions(_ subscriptions: (SubscribableTag) -> Void)
  /// Makes `rssiPublisher` deliver a value.
  func readRSSI()
  /// Sends a serialised request, whose number the library sets.
  func send(data: Data)
}

/// A tag that was found, or is connected to this machine.
struct FoundTag: AdvertisedTag, PreConnectedTag {
  let identifier: UUID
  let displayName: String
  let pairingSerialNumber: String
  let rssi: Float

  init?(_ found: Advertisement) {
    guard let identifier = UUID(uuidString: found.identifier) else { return nil }
    self.identifier = identifier
    displayName = found.name
    pairingSerialNumber = found.serial
    rssi = Float(found.rssi ?? 127)
  }
}
