import CJacquard
import JacquardWire
import Testing

@testable import Jacquard

@Suite("Numbers that the header fixes")
struct HeaderNumberTests {
  @Test("error codes")
  func codes() {
    let numbers: [(JacquardError.Code, jacquard_status)] = [
      (.invalidArgument, JACQUARD_ERROR_INVALID_ARGUMENT), (.invalidHandle, JACQUARD_ERROR_INVALID_HANDLE),
      (.busy, JACQUARD_ERROR_BUSY), (.closed, JACQUARD_ERROR_CLOSED), (.system, JACQUARD_ERROR_SYSTEM),
      (.timeout, JACQUARD_ERROR_TIMEOUT), (.internalError, JACQUARD_ERROR_INTERNAL),
      (.forked, JACQUARD_ERROR_FORKED),
      (.busAddress, JACQUARD_ERROR_BUS_ADDRESS), (.busUnavailable, JACQUARD_ERROR_BUS_UNAVAILABLE),
      (.bluezUnavailable, JACQUARD_ERROR_BLUEZ_UNAVAILABLE), (.permissionDenied, JACQUARD_ERROR_PERMISSION_DENIED),
      (.noAdapter, JACQUARD_ERROR_NO_ADAPTER), (.poweredOff, JACQUARD_ERROR_POWERED_OFF),
      (.adapterRefused, JACQUARD_ERROR_ADAPTER_REFUSED), (.notFound, JACQUARD_ERROR_NOT_FOUND),
      (.connectFailed, JACQUARD_ERROR_CONNECT_FAILED), (.connectionLost, JACQUARD_ERROR_CONNECTION_LOST),
      (.deviceGone, JACQUARD_ERROR_DEVICE_GONE), (.incompleteGatt, JACQUARD_ERROR_INCOMPLETE_GATT),
      (.bondLost, JACQUARD_ERROR_BOND_LOST), (.gatt, JACQUARD_ERROR_GATT), (.staleTag, JACQUARD_ERROR_STALE_TAG),
      (.malformedResponse, JACQUARD_ERROR_MALFORMED_RESPONSE), (.protocolVersion, JACQUARD_ERROR_PROTOCOL_VERSION),
      (.tagStatus, JACQUARD_ERROR_TAG_STATUS), (.wrongCode, JACQUARD_ERROR_WRONG_CODE),
      (.pairingRefused, JACQUARD_ERROR_PAIRING_REFUSED), (.otherOwner, JACQUARD_ERROR_OTHER_OWNER),
      (.notBound, JACQUARD_ERROR_NOT_BOUND), (.inUse, JACQUARD_ERROR_IN_USE), (.stateFile, JACQUARD_ERROR_STATE_FILE),
    ]
    for (code, number) in numbers { #expect(code.rawValue == number.rawValue) }
  }

  @Test("phases")
  func phases() {
    let numbers: [(Phase, jacquard_phase)] = [
      (.disconnected, JACQUARD_PHASE_DISCONNECTED), (.preparing, JACQUARD_PHASE_PREPARING),
      (.connecting, JACQUARD_PHASE_CONNECTING), (.authenticating, JACQUARD_PHASE_AUTHENTICATING),
      (.initializing, JACQUARD_PHASE_INITIALIZING), (.configuring, JACQUARD_PHASE_CONFIGURING),
      (.connected, JACQUARD_PHASE_CONNECTED),
    ]
    #expect(numbers.count == Phase.allCases.count)
    for (phase, number) in numbers { #expect(phase.rawValue == number.rawValue) }
  }

  @Test("adapter states")
  func adapterStates() {
    let numbers: [(AdapterState, jacquard_adapter_state)] = [
      (.unknown, JACQUARD_ADAPTER_UNKNOWN), (.resetting, JACQUARD_ADAPTER_RESETTING),
      (.unsupported, JACQUARD_ADAPTER_UNSUPPORTED), (.unauthorized, JACQUARD_ADAPTER_UNAUTHORIZED),
      (.poweredOff, JACQUARD_ADAPTER_POWERED_OFF), (.poweredOn, JACQUARD_ADAPTER_POWERED_ON),
    ]
    #expect(numbers.count == AdapterState.allCases.count)
    for (state, number) in numbers { #expect(state.rawValue == number.rawValue) }
  }

  @Test("reasons for the end of a scan")
  func scanEnds() {
    let numbers: [(Scan.End, jacquard_scan_end)] = [
      (.timedOut, JACQUARD_SCAN_TIMED_OUT), (.poweredOff, JACQUARD_SCAN_POWERED_OFF),
      (.adapterGone, JACQUARD_SCAN_ADAPTER_GONE), (.permissionDenied, JACQUARD_SCAN_PERMISSION_DENIED),
      (.error, JACQUARD_SCAN_ERROR), (.stopped, JACQUARD_SCAN_STOPPED),
    ]
    for (reason, number) in numbers { #expect(reason.rawValue == number.rawValue) }
  }

  @Test("reasons for the end of a link")
  func disconnectReasons() {
    let numbers: [(DisconnectReason, jacquard_disconnect_reason)] = [
      (.none, JACQUARD_DISCONNECT_NONE), (.unknown, JACQUARD_DISCONNECT_UNKNOWN),
      (.timeout, JACQUARD_DISCONNECT_TIMEOUT), (.local, JACQUARD_DISCONNECT_LOCAL),
      (.remote, JACQUARD_DISCONNECT_REMOTE), (.authentication, JACQUARD_DISCONNECT_AUTHENTICATION),
      (.suspend, JACQUARD_DISCONNECT_SUSPEND), (.poweredOff, JACQUARD_DISCONNECT_POWERED_OFF),
      (.serviceGone, JACQUARD_DISCONNECT_SERVICE_GONE),
    ]
    #expect(numbers.count == DisconnectReason.allCases.count)
    for (reason, number) in numbers { #expect(reason.rawValue == number.rawValue) }
  }

  @Test("gestures")
  func gestures() {
    let numbers: [(Gesture, jacquard_gesture_number)] = [
      (.none, JACQUARD_GESTURE_NONE), (.doubleTap, JACQUARD_GESTURE_DOUBLE_TAP),
      (.brushIn, JACQUARD_GESTURE_BRUSH_IN), (.brushOut, JACQUARD_GESTURE_BRUSH_OUT),
      (.cover, JACQUARD_GESTURE_COVER), (.brushUp, JACQUARD_GESTURE_BRUSH_UP),
      (.brushDown, JACQUARD_GESTURE_BRUSH_DOWN),
    ]
    for (gesture, number) in numbers { #expect(gesture.rawValue == number.rawValue) }
  }

  @Test("log levels, the most important first")
  func logLevels() {
    #expect(Log.Level.warning.rawValue == JACQUARD_LOG_WARNING.rawValue)
    #expect(Log.Level.info.rawValue == JACQUARD_LOG_INFO.rawValue)
    #expect(Log.Level.debug.rawValue == JACQUARD_LOG_DEBUG.rawValue)
    #expect(Log.Level.warning < .info && Log.Level.info < .debug)
  }

  @Test("the signal strength that stands for none is HCI's")
  func unknownSignalStrength() { #expect(Int32(Advertisement.unknownRSSI) == JACQUARD_RSSI_UNKNOWN) }
}
