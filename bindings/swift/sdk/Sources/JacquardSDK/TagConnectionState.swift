import Foundation
import JacquardTags

/// The state of a connection to a tag. Its publisher never finishes.
public enum TagConnectionState {
  /// No link: waits for the tag, the adapter, a pairing code or the next attempt.
  case preparingToConnect
  /// The link is up; the last completed step and the number of steps.
  case connecting(Int, Int)
  /// The protocol is negotiated; the last completed step and the number of steps.
  case initializing(Int, Int)
  /// The tag is configured; the last completed step and the number of steps.
  case configuring(Int, Int)
  /// Does not occur: firmware of the cloud is not installed.
  case firmwareUpdateInitiated
  /// Does not occur.
  case firmwareTransferring(Float)
  /// Does not occur.
  case firmwareTransferCompleted
  /// Does not occur.
  case firmwareExecuting
  /// The tag can be used, until the link is lost.
  case connected(ConnectedTag)
  /// The connection has ended; nil after `disconnect()`.
  case disconnected(Error?)
}

/// Why a connection has ended, or cannot begin.
public enum TagConnectionError: Error {
  /// A bug in the library.
  case internalError
  /// A response of the tag could not be read.
  case malformedResponseError
  /// Does not occur.
  case unknownCoreBluetoothError
  /// The link could not be established, with a `JacquardError`.
  case bluetoothConnectionError(Error)
  /// Does not occur.
  case bluetoothNotificationUpdateError(Error)
  /// The service of tags is missing.
  case serviceDiscoveryError
  /// Does not occur.
  case characteristicDiscoveryError
  /// Another reason, with a `JacquardError`, which has a message and advice.
  case jacquardInitializationError(Error)
  /// The identifier is not that of a tag, or the tag has no connection.
  case bluetoothDeviceNotFound
  /// The tag does not come from this module.
  case unconnectableTag
  /// The adapter is off or missing.
  case bluetoothPowerOff
  /// The first connection was not established in time.
  case connectionTimeout
  /// The tag has lost its bond.
  case peerRemovedPairingInfo
}

extension TagConnectionError {
  init(_ error: JacquardError) {
    switch error.code {
    case .internal: self = .internalError
    case .malformedResponse: self = .malformedResponseError
    case .connectFailed, .gatt: self = .bluetoothConnectionError(error)
    case .incompleteGatt: self = .serviceDiscoveryError
    case .notFound: self = .bluetoothDeviceNotFound
    case .poweredOff, .noAdapter: self = .bluetoothPowerOff
    case .timeout: self = .connectionTimeout
    case .bondLost: self = .peerRemovedPairingInfo
    default: self = .jacquardInitializationError(error)
    }
  }
}

extension TagConnectionState {
  /// nil for the phases that have a value of their own.
  init?(_ state: ConnectionState) {
    switch state.phase {
    case .preparing: self = .preparingToConnect
    case .connecting, .authenticating: self = .connecting(state.step, state.totalSteps)
    case .initializing: self = .initializing(state.step, state.totalSteps)
    case .configuring: self = .configuring(state.step, state.totalSteps)
    default: return nil
    }
  }

  var isPreparing: Bool {
    if case .preparingToConnect = self { true } else { false }
  }
}
