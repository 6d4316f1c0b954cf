// Generated from the header by bindings/swift/generator; do not edit.

/// The negative result of a failed function, and the code of a jacquard_error. The numbers are stable.
public struct Status: OpenEnumeration {
  /// The number in the header.
  public let rawValue: Int32

  /// Any number, also one without a name.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// No failure.
  public static let ok = Status(rawValue: 0)
  /// An argument is NULL, malformed, of unknown size or out of range.
  public static let invalidArgument = Status(rawValue: -1)
  /// The handle was released, is made up, or is of another type.
  public static let invalidHandle = Status(rawValue: -2)
  /// Another program or service does what excludes this, and the message names it; or the tag is transferring or
  /// erasing a recording.
  public static let busy = Status(rawValue: -3)
  /// The manager, connection or scan that owns this object has been closed.
  public static let closed = Status(rawValue: -4)
  /// The kernel could not provide a resource; see system_errno.
  public static let system = Status(rawValue: -5)
  /// No response within the time limit.
  public static let timeout = Status(rawValue: -6)
  /// A bug in this library; please report it.
  public static let `internal` = Status(rawValue: -7)
  /// The handle was created before fork(), in the parent process.
  public static let forked = Status(rawValue: -8)
  /// The call is not possible in this state: the loop is already running, or the object is in use by another call.
  public static let misuse = Status(rawValue: -9)
  /// The D-Bus address is malformed, or its transport is not unix:.
  public static let busAddress = Status(rawValue: -20)
  /// No D-Bus daemon is reachable at the address.
  public static let busUnavailable = Status(rawValue: -21)
  /// The name org.bluez has no owner: bluetoothd is not running.
  public static let bluezUnavailable = Status(rawValue: -22)
  /// The bus policy or bluetoothd denies access to this user.
  public static let permissionDenied = Status(rawValue: -23)
  /// No Bluetooth adapter, or not the one asked for.
  public static let noAdapter = Status(rawValue: -24)
  /// The adapter is powered off.
  public static let poweredOff = Status(rawValue: -25)
  /// The controller currently refuses to scan or connect.
  public static let adapterRefused = Status(rawValue: -26)
  /// The known tags cannot be read or written; see message and system_errno.
  public static let stateFile = Status(rawValue: -27)
  /// The service has ended, does not respond, or is of another version.
  public static let serviceUnavailable = Status(rawValue: -28)
  /// The tag was not found in time, the identifier is that of a device that is not a tag, or there is no such object.
  public static let notFound = Status(rawValue: -40)
  /// The link could not be established.
  public static let connectFailed = Status(rawValue: -41)
  /// An established link was lost.
  public static let connectionLost = Status(rawValue: -42)
  /// BlueZ removed the device.
  public static let deviceGone = Status(rawValue: -43)
  /// The Jacquard service or one of its characteristics is missing.
  public static let incompleteGatt = Status(rawValue: -44)
  /// The tag has lost the bond that this machine still has; as the reason of PREPARING: it may have.
  public static let bondLost = Status(rawValue: -45)
  /// A GATT operation failed; see att_code.
  public static let gatt = Status(rawValue: -46)
  /// The tag handle belongs to an earlier link.
  public static let staleTag = Status(rawValue: -47)
  /// The gear was detached from the tag.
  public static let staleGear = Status(rawValue: -48)
  /// The code does not match the tag's serial number.
  public static let wrongCode = Status(rawValue: -49)
  /// The tag or bluetoothd refused to pair.
  public static let pairingRefused = Status(rawValue: -50)
  /// The tag is bound to another owner on this machine.
  public static let otherOwner = Status(rawValue: -51)
  /// The tag requires a bond or is bound here, but BlueZ has no bond with it; as the reason of PREPARING: this may be
  /// so.
  public static let notBound = Status(rawValue: -52)
  /// A program that does not share the tag, or one of another user, is using it.
  public static let inUse = Status(rawValue: -53)
  /// This manager already has a connection to the tag.
  public static let alreadyConnected = Status(rawValue: -54)
  /// A required part of the tag's response is missing.
  public static let malformedResponse = Status(rawValue: -60)
  /// The tag does not speak protocol 2.
  public static let protocolVersion = Status(rawValue: -61)
  /// The tag responded with an error; see tag_status.
  public static let tagStatus = Status(rawValue: -62)
  /// The component lacks this capability; nothing was sent.
  public static let unsupported = Status(rawValue: -63)
  /// The tag already has this name; nothing was sent.
  public static let unchanged = Status(rawValue: -64)
  /// The tag is recording or streaming motion.
  public static let captureInProgress = Status(rawValue: -65)
  /// The tag's battery is too low: 50 % for motion, 20 % for firmware.
  public static let lowBattery = Status(rawValue: -66)
  /// The tag has too little free storage for a recording.
  public static let lowStorage = Status(rawValue: -67)
  /// The motion module is not installed on the tag.
  public static let moduleMissing = Status(rawValue: -68)
  /// A session has the wrong size or checksum, or is not a motion file.
  public static let damagedSession = Status(rawValue: -69)
  /// A firmware image is unreadable, empty or too large.
  public static let firmwareImage = Status(rawValue: -70)
  /// A firmware image and its manifest differ, or the manifest is malformed.
  public static let firmwareManifest = Status(rawValue: -71)
  /// The firmware image is for another product.
  public static let wrongProduct = Status(rawValue: -72)
  /// The gear that the firmware image is for is not attached.
  public static let gearMissing = Status(rawValue: -73)
  /// The firmware of the tag is being updated.
  public static let updateInProgress = Status(rawValue: -74)
  /// A part of another firmware image is on the tag.
  public static let otherImage = Status(rawValue: -75)
  /// The firmware image is older than the installed firmware.
  public static let downgrade = Status(rawValue: -76)
  /// The tag stored the firmware image incorrectly; nothing was installed.
  public static let damagedFirmware = Status(rawValue: -77)
  /// The firmware was transferred, but the tag does not have its version.
  public static let notInstalled = Status(rawValue: -78)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "ok"
    case -1: "invalidArgument"
    case -2: "invalidHandle"
    case -3: "busy"
    case -4: "closed"
    case -5: "system"
    case -6: "timeout"
    case -7: "internal"
    case -8: "forked"
    case -9: "misuse"
    case -20: "busAddress"
    case -21: "busUnavailable"
    case -22: "bluezUnavailable"
    case -23: "permissionDenied"
    case -24: "noAdapter"
    case -25: "poweredOff"
    case -26: "adapterRefused"
    case -27: "stateFile"
    case -28: "serviceUnavailable"
    case -40: "notFound"
    case -41: "connectFailed"
    case -42: "connectionLost"
    case -43: "deviceGone"
    case -44: "incompleteGatt"
    case -45: "bondLost"
    case -46: "gatt"
    case -47: "staleTag"
    case -48: "staleGear"
    case -49: "wrongCode"
    case -50: "pairingRefused"
    case -51: "otherOwner"
    case -52: "notBound"
    case -53: "inUse"
    case -54: "alreadyConnected"
    case -60: "malformedResponse"
    case -61: "protocolVersion"
    case -62: "tagStatus"
    case -63: "unsupported"
    case -64: "unchanged"
    case -65: "captureInProgress"
    case -66: "lowBattery"
    case -67: "lowStorage"
    case -68: "moduleMissing"
    case -69: "damagedSession"
    case -70: "firmwareImage"
    case -71: "firmwareManifest"
    case -72: "wrongProduct"
    case -73: "gearMissing"
    case -74: "updateInProgress"
    case -75: "otherImage"
    case -76: "downgrade"
    case -77: "damagedFirmware"
    case -78: "notInstalled"
    default: nil
    }
  }
}

/// The status in a tag's response, with the numbers of the tag's protocol. Newer firmware may send other numbers.
public struct TagStatus: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The request succeeded.
  public static let ok = TagStatus(rawValue: 0)
  /// The firmware does not know this request.
  public static let unsupported = TagStatus(rawValue: 1)
  /// A value in the request is missing or out of range.
  public static let badParameter = TagStatus(rawValue: 2)
  /// The battery is too low for this request.
  public static let batteryLow = TagStatus(rawValue: 3)
  /// A part of the hardware failed.
  public static let hardwareFailure = TagStatus(rawValue: 4)
  /// The link is not authenticated.
  public static let notAuthenticated = TagStatus(rawValue: 5)
  /// The request does not suit this kind of device.
  public static let wrongDeviceType = TagStatus(rawValue: 6)
  /// The request is not possible in the present state.
  public static let invalidState = TagStatus(rawValue: 7)
  /// Reading, writing or erasing the flash memory failed.
  public static let flashAccessFailed = TagStatus(rawValue: 8)
  /// The checksum does not match the data.
  public static let checksumMismatch = TagStatus(rawValue: 9)
  /// The tag is busy, for example updating the gear's firmware.
  public static let busy = TagStatus(rawValue: 10)
  /// Less than a fifth of the flash memory is free.
  public static let lowMemory = TagStatus(rawValue: 15)
  /// Not sent by tags: a host library gave up waiting.
  public static let timeout = TagStatus(rawValue: 253)
  /// Not sent by tags: a host library failed.
  public static let hostFailure = TagStatus(rawValue: 254)
  /// The tag failed without a reason.
  public static let unknownFailure = TagStatus(rawValue: 255)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "ok"
    case 1: "unsupported"
    case 2: "badParameter"
    case 3: "batteryLow"
    case 4: "hardwareFailure"
    case 5: "notAuthenticated"
    case 6: "wrongDeviceType"
    case 7: "invalidState"
    case 8: "flashAccessFailed"
    case 9: "checksumMismatch"
    case 10: "busy"
    case 15: "lowMemory"
    case 253: "timeout"
    case 254: "hostFailure"
    case 255: "unknownFailure"
    default: nil
    }
  }
}

/// Importance of a log message, most important first.
public struct LogLevel: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Something was dropped or refused; the library continues.
  public static let warning = LogLevel(rawValue: 1)
  /// State changes.
  public static let info = LogLevel(rawValue: 2)
  /// Every step.
  public static let debug = LogLevel(rawValue: 3)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 1: "warning"
    case 2: "info"
    case 3: "debug"
    default: nil
    }
  }
}

/// Whether Bluetooth can be used. Names and meanings follow CBManagerState of Core Bluetooth.
public struct AdapterState: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Not known yet.
  public static let unknown = AdapterState(rawValue: 0)
  /// Bluetoothd or the bus disconnected or does not respond; waiting for it. A link may stay up meanwhile; events of
  /// that time may be lost (`interruptions` of jacquard_counters). A bluetoothd that does not respond is noticed within
  /// 8 s during a touch in continuous mode, 10 s in a motion stream, and 15 s by commands; not by a program that only
  /// waits, which receives events later.
  public static let resetting = AdapterState(rawValue: 1)
  /// No bus, no bluetoothd or no adapter: see error.
  public static let unsupported = AdapterState(rawValue: 2)
  /// This user may not use Bluetooth: see error.
  public static let unauthorized = AdapterState(rawValue: 3)
  /// Powered off, possibly by rfkill.
  public static let poweredOff = AdapterState(rawValue: 4)
  /// Ready.
  public static let poweredOn = AdapterState(rawValue: 5)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "unknown"
    case 1: "resetting"
    case 2: "unsupported"
    case 3: "unauthorized"
    case 4: "poweredOff"
    case 5: "poweredOn"
    default: nil
    }
  }
}

/// Why a scan ended.
public struct ScanEnd: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Timeout_ms has passed.
  public static let timedOut = ScanEnd(rawValue: 1)
  /// The adapter is powered off: see error.
  public static let poweredOff = ScanEnd(rawValue: 2)
  /// No adapter, no bluetoothd or no bus: see error.
  public static let adapterGone = ScanEnd(rawValue: 3)
  /// This user may not use Bluetooth: see error.
  public static let permissionDenied = ScanEnd(rawValue: 4)
  /// See error.
  public static let error = ScanEnd(rawValue: 5)
  /// Jacquard_scan_stop() was called.
  public static let stopped = ScanEnd(rawValue: 6)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 1: "timedOut"
    case 2: "poweredOff"
    case 3: "adapterGone"
    case 4: "permissionDenied"
    case 5: "error"
    case 6: "stopped"
    default: nil
    }
  }
}

/// The phase of a connection.
public struct Phase: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Ended; the library does not retry.
  public static let disconnected = Phase(rawValue: 0)
  /// No link; waiting for the adapter, the tag, or the next attempt, or establishing the link: BlueZ does not report
  /// whether a known tag is in range.
  public static let preparing = Phase(rawValue: 1)
  /// The link is up; discovering services and enabling notifications.
  public static let connecting = Phase(rawValue: 2)
  /// Pairing.
  public static let authenticating = Phase(rawValue: 3)
  /// Negotiating the protocol with the tag.
  public static let initializing = Phase(rawValue: 4)
  /// Configuring the tag.
  public static let configuring = Phase(rawValue: 5)
  /// Ready; the state has a tag.
  public static let connected = Phase(rawValue: 6)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "disconnected"
    case 1: "preparing"
    case 2: "connecting"
    case 3: "authenticating"
    case 4: "initializing"
    case 5: "configuring"
    case 6: "connected"
    default: nil
    }
  }
}

/// Why a link ended. BlueZ 5.83 and later reports the first six. With older versions the library reports LOCAL for
/// links that it dropped itself and SUSPEND after the machine was suspended. The library itself detects the last two.
public struct DisconnectReason: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No link has ended, or a new one is up.
  public static let none = DisconnectReason(rawValue: 0)
  /// No reason was reported.
  public static let unknown = DisconnectReason(rawValue: 1)
  /// Supervision timeout: the tag is out of range or out of power.
  public static let timeout = DisconnectReason(rawValue: 2)
  /// This machine dropped it: this program, another program, or BlueZ.
  public static let local = DisconnectReason(rawValue: 3)
  /// The tag dropped it.
  public static let remote = DisconnectReason(rawValue: 4)
  /// Tag and machine could not authenticate each other.
  public static let authentication = DisconnectReason(rawValue: 5)
  /// The machine was suspended.
  public static let suspend = DisconnectReason(rawValue: 6)
  /// The adapter was powered off.
  public static let poweredOff = DisconnectReason(rawValue: 7)
  /// Bluetoothd, the bus or the adapter became unavailable.
  public static let serviceGone = DisconnectReason(rawValue: 8)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "none"
    case 1: "unknown"
    case 2: "timeout"
    case 3: "local"
    case 4: "remote"
    case 5: "authentication"
    case 6: "suspend"
    case 7: "poweredOff"
    case 8: "serviceGone"
    default: nil
    }
  }
}

/// What a component can do; a set is the sum of these. A command that requires a missing one completes with
/// JACQUARD_ERROR_UNSUPPORTED, and nothing is sent.
public struct Capabilities: OptionSet, Sendable, Hashable {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Plays LED patterns.
  public static let led = Capabilities(rawValue: 1)
  /// Reports gestures.
  public static let gesture = Capabilities(rawValue: 2)
  /// Streams touch samples.
  public static let touch = Capabilities(rawValue: 4)
  /// Vibrates.
  public static let haptic = Capabilities(rawValue: 8)
}

/// The animation of an LED pattern. The numbers are those of the tag's protocol.
public struct LEDType: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Does not change.
  public static let solid = LEDType(rawValue: 1)
  /// Brightens and dims slowly.
  public static let breathing = LEDType(rawValue: 2)
  /// Brightens and dims quickly.
  public static let pulsing = LEDType(rawValue: 3)
  /// Flashes once.
  public static let singleBlink = LEDType(rawValue: 4)
  /// Flashes twice.
  public static let doubleBlink = LEDType(rawValue: 5)
  /// Flashes three times.
  public static let tripleBlink = LEDType(rawValue: 6)
  /// The frames, one after the other.
  public static let custom = LEDType(rawValue: 7)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 1: "solid"
    case 2: "breathing"
    case 3: "pulsing"
    case 4: "singleBlink"
    case 5: "doubleBlink"
    case 6: "tripleBlink"
    case 7: "custom"
    default: nil
    }
  }
}

/// The shape of a vibration. The numbers are those of the tag's protocol.
public struct HapticType: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Stops the vibration.
  public static let halt = HapticType(rawValue: 0)
  /// Rises along a sine curve.
  public static let sineIncrease = HapticType(rawValue: 1)
  /// Falls along a sine curve.
  public static let sineDecrease = HapticType(rawValue: 2)
  /// Rises linearly.
  public static let linearIncrease = HapticType(rawValue: 3)
  /// Falls linearly.
  public static let linearDecrease = HapticType(rawValue: 4)
  /// Rises along a parabola.
  public static let parabolicIncrease = HapticType(rawValue: 5)
  /// Falls along a parabola.
  public static let parabolicDecrease = HapticType(rawValue: 6)
  /// Constant.
  public static let constant = HapticType(rawValue: 7)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "halt"
    case 1: "sineIncrease"
    case 2: "sineDecrease"
    case 3: "linearIncrease"
    case 4: "linearDecrease"
    case 5: "parabolicIncrease"
    case 6: "parabolicDecrease"
    case 7: "constant"
    default: nil
    }
  }
}

/// What the gear reports.
public struct TouchMode: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Gestures; the tag queues 14 notifications and drops none.
  public static let gesture = TouchMode(rawValue: 1)
  /// Touch samples; the tag queues 2 and drops stale ones.
  public static let continuous = TouchMode(rawValue: 2)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 1: "gesture"
    case 2: "continuous"
    default: nil
    }
  }
}

/// The gestures that have names. Gear may also report other numbers.
public struct GestureType: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// "none": a touch that is not a gesture.
  public static let none = GestureType(rawValue: 0)
  /// "double-tap".
  public static let doubleTap = GestureType(rawValue: 1)
  /// "brush-in".
  public static let brushIn = GestureType(rawValue: 2)
  /// "brush-out".
  public static let brushOut = GestureType(rawValue: 3)
  /// "pulse-check"; not reported by known gear.
  public static let pulseCheck = GestureType(rawValue: 4)
  /// "pulse-tap"; not reported by known gear.
  public static let pulseTap = GestureType(rawValue: 5)
  /// "long-cover"; not reported by known gear.
  public static let longCover = GestureType(rawValue: 6)
  /// "cover".
  public static let cover = GestureType(rawValue: 7)
  /// "genie"; not reported by known gear.
  public static let genie = GestureType(rawValue: 8)
  /// "pinch-in"; not reported by known gear.
  public static let pinchIn = GestureType(rawValue: 9)
  /// "pinch-out"; not reported by known gear.
  public static let pinchOut = GestureType(rawValue: 10)
  /// "triple-tap"; not reported by known gear.
  public static let tripleTap = GestureType(rawValue: 12)
  /// "brush-up".
  public static let brushUp = GestureType(rawValue: 13)
  /// "brush-down".
  public static let brushDown = GestureType(rawValue: 14)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "none"
    case 1: "doubleTap"
    case 2: "brushIn"
    case 3: "brushOut"
    case 4: "pulseCheck"
    case 5: "pulseTap"
    case 6: "longCover"
    case 7: "cover"
    case 8: "genie"
    case 9: "pinchIn"
    case 10: "pinchOut"
    case 12: "tripleTap"
    case 13: "brushUp"
    case 14: "brushDown"
    default: nil
    }
  }
}

/// The steps that an update performs.
public struct UpdateMode: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Check, transfer and install the images, and verify the versions.
  public static let install = UpdateMode(rawValue: 0)
  /// Check only: a dry run, which writes nothing to the tag.
  public static let check = UpdateMode(rawValue: 1)
  /// Check and transfer, without installing; modules are omitted.
  public static let transfer = UpdateMode(rawValue: 2)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "install"
    case 1: "check"
    case 2: "transfer"
    default: nil
    }
  }
}

/// The current step of an update.
public struct UpdatePhase: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Asking the tag for its versions and what it has stored.
  public static let checking = UpdatePhase(rawValue: 0)
  /// Transferring an image.
  public static let transferring = UpdatePhase(rawValue: 1)
  /// The tag or gear installs the image; this cannot be cancelled.
  public static let executing = UpdatePhase(rawValue: 2)
  /// Waiting for the tag to restart with the new firmware.
  public static let restarting = UpdatePhase(rawValue: 3)
  /// The link is lost; the update continues on the next one.
  public static let waiting = UpdatePhase(rawValue: 4)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "checking"
    case 1: "transferring"
    case 2: "executing"
    case 3: "restarting"
    case 4: "waiting"
    default: nil
    }
  }
}

/// The outcome of an update for one image.
public struct UpdateOutcome: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Not transferred: the update only checked, or it is a module.
  public static let pending = UpdateOutcome(rawValue: 0)
  /// The tag has stored the whole image; it is not installed.
  public static let transferred = UpdateOutcome(rawValue: 1)
  /// Installed; the version was read back.
  public static let installed = UpdateOutcome(rawValue: 2)
  /// This version was already installed; nothing was changed.
  public static let alreadyInstalled = UpdateOutcome(rawValue: 3)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "pending"
    case 1: "transferred"
    case 2: "installed"
    case 3: "alreadyInstalled"
    default: nil
    }
  }
}

/// The low-pass filter of the motion sensor.
public struct MotionFilter: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The full bandwidth.
  public static let normal = MotionFilter(rawValue: 0)
  /// Half the bandwidth.
  public static let oversampling2 = MotionFilter(rawValue: 1)
  /// A quarter of the bandwidth, and the lowest noise.
  public static let oversampling4 = MotionFilter(rawValue: 2)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "normal"
    case 1: "oversampling2"
    case 2: "oversampling4"
    default: nil
    }
  }
}

/// The current activity of a tag's motion capture.
public struct MotionActivity: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// None.
  public static let idle = MotionActivity(rawValue: 0)
  /// Recording.
  public static let recording = MotionActivity(rawValue: 1)
  /// Streaming.
  public static let streaming = MotionActivity(rawValue: 2)
  /// Recording or streaming; the program that started it did not note which.
  public static let capturing = MotionActivity(rawValue: 3)
  /// Sending a session.
  public static let transferring = MotionActivity(rawValue: 4)
  /// Erasing sessions.
  public static let erasing = MotionActivity(rawValue: 5)
  /// Failed: see code and text.
  public static let failed = MotionActivity(rawValue: 6)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "idle"
    case 1: "recording"
    case 2: "streaming"
    case 3: "capturing"
    case 4: "transferring"
    case 5: "erasing"
    case 6: "failed"
    default: nil
    }
  }
}

/// How a motion file ends.
public struct MotionEnd: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The last action has an end marker.
  public static let complete = MotionEnd(rawValue: 0)
  /// The recording or its download was cut off.
  public static let incomplete = MotionEnd(rawValue: 1)
  /// The file contains stray units.
  public static let damaged = MotionEnd(rawValue: 2)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 0: "complete"
    case 1: "incomplete"
    case 2: "damaged"
    default: nil
    }
  }
}

/// What a point reports of its touch.
public struct TouchPhase: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The first point of a touch.
  public static let began = TouchPhase(rawValue: 1)
  /// The touch is in another sample, whether it has moved or not.
  public static let moved = TouchPhase(rawValue: 2)
  /// The last point: the finger was lifted, or has joined an older touch.
  public static let ended = TouchPhase(rawValue: 3)
  /// The last point: it is not known how the touch ended.
  public static let cancelled = TouchPhase(rawValue: 4)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 1: "began"
    case 2: "moved"
    case 3: "ended"
    case 4: "cancelled"
    default: nil
    }
  }
}

/// What rules have derived from touches. Distances are in lines. docs/touch.md has all thresholds.
public struct TouchGestureType: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A finger rested for at most 300 ms. Reported when it is lifted.
  public static let tap = TouchGestureType(rawValue: 1)
  /// Another tap within 300 ms and 2 lines, in place of its TAP. The first TAP was reported: a program that acts on it
  /// only if no other one follows waits for that.
  public static let doubleTap = TouchGestureType(rawValue: 2)
  /// A finger has rested for 500 ms. Reported while it rests.
  public static let hold = TouchGestureType(rawValue: 3)
  /// A resting finger that had landed became 1.5 times as strong, before it was a HOLD. Reported while it rests.
  public static let press = TouchGestureType(rawValue: 4)
  /// A finger went at least 3 lines towards the first line, in at most 800 ms. Reported when it is lifted.
  public static let swipeIn = TouchGestureType(rawValue: 5)
  /// The same towards the last line.
  public static let swipeOut = TouchGestureType(rawValue: 6)
  /// A stroke of a finger that goes to and fro, from the second one on. Reported when the finger turns, for each stroke
  /// of at least 1.5 lines and at most 500 ms.
  public static let scrub = TouchGestureType(rawValue: 7)
  /// Two fingers rested, for at most 300 ms in all. Reported when both are lifted.
  public static let twoFingerTap = TouchGestureType(rawValue: 8)
  /// Two fingers went at least 2 lines apart, in at most 1.5 s. Reported when one of them is lifted.
  public static let spread = TouchGestureType(rawValue: 9)
  /// Two fingers came at least 2 lines closer. Reported when one of them is lifted, or when they meet.
  public static let pinch = TouchGestureType(rawValue: 10)
  /// A palm has rested for 500 ms. Reported while it rests.
  public static let cover = TouchGestureType(rawValue: 11)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 1: "tap"
    case 2: "doubleTap"
    case 3: "hold"
    case 4: "press"
    case 5: "swipeIn"
    case 6: "swipeOut"
    case 7: "scrub"
    case 8: "twoFingerTap"
    case 9: "spread"
    case 10: "pinch"
    case 11: "cover"
    default: nil
    }
  }
}

/// What a tracker knows of a line of the sleeve.
public struct LineHealth: OpenEnumeration {
  /// The number in the header.
  public let rawValue: UInt32

  /// Any number, also one without a name.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nothing is known against it.
  public static let good = LineHealth(rawValue: 1)
  /// It reads less than half of what others read of the same fingers, which is corrected.
  public static let weak = LineHealth(rawValue: 2)
  /// It reads nothing while fingers pass over it: touches are found without it.
  public static let dead = LineHealth(rawValue: 3)
  /// It always reads the same, more than nothing: touches are found without it.
  public static let stuck = LineHealth(rawValue: 4)

  /// The name of the constant; nil for a number that this version does not know.
  public var name: String? {
    switch rawValue {
    case 1: "good"
    case 2: "weak"
    case 3: "dead"
    case 4: "stuck"
    default: nil
    }
  }
}
