import EventLoop

/// An error in the terms of the header: a code, the known cause, and what the user can do.
public struct JacquardError: CancellableError, Equatable, Sendable {
  public var code: Code
  /// Always printable, whatever it was created from.
  public let message: String
  /// One sentence that says what the user can do.
  public var advice: String
  /// The error number of a failed system call, else 0.
  public var systemErrno: Int32 = 0
  /// The ATT error code of a failed GATT operation, else 0.
  public var attCode: UInt8 = 0
  /// The status in the tag's response, else 0.
  public var tagStatus: UInt32 = 0
  /// The name of the D-Bus error, such as `org.bluez.Error.Failed`; nil if there was none.
  public var dbusName: String?
  /// The caller no longer waits. This error is never reported.
  public private(set) var isCancellation = false
  /// Set if the error is the loss of an established link.
  var lossReason: DisconnectReason?
  /// The signs of an error that only a person can resolve, without a statement of BlueZ or the tag: it ends no
  /// connection.
  var isSuspicion = false

  /// Creates an error. Without advice of its own, it has the usual advice of the code.
  public init(_ code: Code, _ message: String, advice: String? = nil) {
    self.code = code
    self.message = message.printable
    self.advice = advice ?? code.advice
  }
}

extension JacquardError {
  /// Thrown by a wait whose task was cancelled.
  public static let cancelled: JacquardError = {
    var error = JacquardError(.closed, "The operation was cancelled.")
    error.isCancellation = true
    return error
  }()

  static func checkCancellation() throws(JacquardError) {
    if Task.isCancelled { throw .cancelled }
  }
}

extension JacquardError: CustomStringConvertible {
  /// The message, without the advice.
  public var description: String { message }
}

extension JacquardError {
  /// The numbers of `jacquard_status`; they never change.
  public enum Code: Int32, CaseIterable, Sendable {
    case invalidArgument = -1
    case invalidHandle = -2
    case busy = -3
    case closed = -4
    case system = -5
    case timeout = -6
    case internalError = -7
    case forked = -8
    case misuse = -9

    case busAddress = -20
    case busUnavailable = -21
    case bluezUnavailable = -22
    case permissionDenied = -23
    case noAdapter = -24
    case poweredOff = -25
    case adapterRefused = -26
    case stateFile = -27
    case serviceUnavailable = -28

    case notFound = -40
    case connectFailed = -41
    case connectionLost = -42
    case deviceGone = -43
    case incompleteGatt = -44
    case bondLost = -45
    case gatt = -46
    case staleTag = -47
    case staleGear = -48
    case wrongCode = -49
    case pairingRefused = -50
    case otherOwner = -51
    case notBound = -52
    case inUse = -53
    case alreadyConnected = -54

    case malformedResponse = -60
    case protocolVersion = -61
    case tagStatus = -62
    case unsupported = -63
    case unchanged = -64
    case captureInProgress = -65
    case lowBattery = -66
    case lowStorage = -67
    case moduleMissing = -68
    case damagedSession = -69
    case firmwareImage = -70
    case firmwareManifest = -71
    case wrongProduct = -72
    case gearMissing = -73
    case updateInProgress = -74
    case otherImage = -75
    case downgrade = -76
    case damagedFirmware = -77
    case notInstalled = -78
  }
}

extension JacquardError {
  /// An `invalidArgument` error with this message: one sentence that names the argument.
  public static func invalid(_ what: String) -> JacquardError { JacquardError(.invalidArgument, what) }
}

extension JacquardError.Code {
  /// One sentence for the user. It describes the kind of failure; an error's message has the details.
  public var text: String {
    switch self {
    case .invalidArgument: "An argument is missing, malformed or out of range."
    case .invalidHandle: "The handle was already released or is of another type."
    case .busy: "Another program, or the tag, is doing something that excludes this."
    case .closed: "The owner of this object has been closed."
    case .system: "The kernel could not provide a resource."
    case .timeout: "There was no response in time."
    case .internalError: "An internal error occurred in the library."
    case .forked: "This handle was created before fork(), in the parent process."
    case .misuse: "The call is not possible in this state."
    case .busAddress: "The D-Bus address cannot be used."
    case .busUnavailable: "The D-Bus daemon is not reachable."
    case .bluezUnavailable: "The Bluetooth service is not running."
    case .permissionDenied: "This user may not use Bluetooth."
    case .noAdapter: "There is no Bluetooth adapter."
    case .poweredOff: "Bluetooth is powered off."
    case .adapterRefused: "The Bluetooth adapter currently refuses the operation."
    case .notFound: "The tag was not found."
    case .connectFailed: "The link could not be established."
    case .connectionLost: "The link was lost."
    case .deviceGone: "The Bluetooth service removed the tag."
    case .incompleteGatt: "The tag does not offer the complete Jacquard service."
    case .bondLost: "The tag has lost its bond with this machine."
    case .gatt: "A Bluetooth attribute operation failed."
    case .staleTag: "This tag handle belongs to an earlier link."
    case .staleGear: "This gear was detached from the tag."
    case .wrongCode: "The code does not match this tag."
    case .pairingRefused: "The tag or the Bluetooth service refused to pair."
    case .otherOwner: "The tag is bound to another owner."
    case .notBound: "The tag must be bound to this machine first."
    case .inUse: "Another program is using this tag."
    case .alreadyConnected: "The manager already has a connection to this tag."
    case .stateFile: "The known tags cannot be read or written."
    case .serviceUnavailable: "The Jacquard service cannot be used."
    case .malformedResponse: "The tag's response is incomplete or malformed."
    case .protocolVersion: "The tag uses another version of the protocol."
    case .tagStatus: "The tag responded with an error."
    case .unsupported: "The component does not support this."
    case .unchanged: "The tag already has this name."
    case .captureInProgress: "The tag is already recording or streaming motion."
    case .lowBattery: "The tag's battery is too low."
    case .lowStorage: "The tag has too little free storage for a recording."
    case .moduleMissing: "The motion module is not installed on the tag."
    case .damagedSession: "The downloaded session differs from the one that the tag listed."
    case .firmwareImage: "The firmware image cannot be used."
    case .firmwareManifest: "The firmware image and its manifest differ."
    case .wrongProduct: "The firmware image is for another product."
    case .gearMissing: "The gear that the firmware image is for is not attached."
    case .updateInProgress: "The tag's firmware is being updated."
    case .otherImage: "A part of another firmware image is on the tag."
    case .downgrade: "The firmware image is older than the installed firmware."
    case .damagedFirmware: "The tag stored the firmware image incorrectly."
    case .notInstalled: "The firmware was not installed."
    }
  }

  /// The usual remedy. The Bluetooth advice is based on the issue trackers of other Bluetooth libraries.
  public var advice: String {
    switch self {
    case .invalidArgument: "Correct the argument and try again."
    case .invalidHandle: "Keep a reference for as long as you use the handle."
    case .busy: "Wait until it has finished."
    case .closed: "Create a new one."
    case .system: "Check the limits of the process, such as the number of open files."
    case .timeout: "Bring the tag closer and try again."
    case .internalError: "Please report this with a log at level debug."
    case .forked: "Create a new manager in this process, or call fork() before the first one."
    case .misuse: "Make the call outside the callback, or after the other call has returned."
    case .busAddress: "Use an address such as unix:path=/run/dbus/system_bus_socket."
    case .busUnavailable:
      "Start the D-Bus system daemon, or in a container mount /run/dbus/system_bus_socket from the host."
    case .bluezUnavailable: "Install bluez and start it: systemctl start bluetooth."
    case .permissionDenied: "Add the user to the group bluetooth and log in again, or check the D-Bus policy."
    case .noAdapter: "Plug in a Bluetooth adapter; bluetoothctl list and dmesg show why one is missing."
    case .poweredOff: "Turn Bluetooth on: bluetoothctl power on; if that fails, rfkill unblock bluetooth."
    case .adapterRefused: "Stop other programs that scan, or power the adapter off and on."
    case .notFound: "Hold the tag's button for three seconds until its light pulses, and bring it closer."
    case .connectFailed:
      "None needed at first: the library retries. If it persists, bring the tag closer; a Wi-Fi access point on the "
        + "same chip can disturb Bluetooth."
    case .connectionLost: "None needed: the library reconnects when the tag is back."
    case .deviceGone: "None needed: the library searches for the tag again."
    case .incompleteGatt:
      "None needed at first: the library removes an unbound tag from the Bluetooth service and retries. If the error "
        + "persists, forget the tag in the Bluetooth settings, and bind it again if it was bound."
    case .bondLost: "Unbind the tag here and bind it again."
    case .gatt: "Try again; if it fails repeatedly, forget the tag in the Bluetooth settings and connect again."
    case .staleTag: "Use the tag of the connection's latest state."
    case .staleGear: "Use the gear that was delivered last."
    case .wrongCode: "Check the number printed on the tag, and that this is the right tag."
    case .pairingRefused: "Hold the tag's button until its light pulses, and try again."
    case .otherOwner: "Unbind the tag, then bind it to its new owner."
    case .notBound: "Bind the tag, or bind it again, with the code printed on it."
    case .inUse:
      "Stop the other program. Programs share tags if the service runs before them: systemctl --user start "
        + "jacquardd.socket, or, where there is no systemd: jacquardd."
    case .alreadyConnected: "Use the connection that exists, or end it first."
    case .stateFile: "Check that $XDG_STATE_HOME/jacquard, or by default ~/.local/state/jacquard, is writable."
    case .serviceUnavailable:
      "None needed at first: the library tries again. If it persists: systemctl --user restart jacquardd."
    case .malformedResponse: "Try again; if it fails repeatedly, the tag may need other firmware."
    case .protocolVersion: "Update the tag's firmware."
    case .tagStatus: "Check the tag's status for the cause."
    case .unsupported: "Check the component's capabilities first."
    case .unchanged: "None needed."
    case .captureInProgress: "Stop the recording or the stream first."
    case .lowBattery: "Charge the tag."
    case .lowStorage: "Download sessions and erase them on the tag."
    case .moduleMissing: "Use another tag: the module can no longer be downloaded."
    case .damagedSession: "Remove the downloaded file and download the session again."
    case .firmwareImage: "Check the file; nothing was sent to the tag."
    case .firmwareManifest: "Use the manifest that belongs to the image; nothing was sent to the tag."
    case .wrongProduct: "Use an image for this tag or its gear; nothing was sent to the tag."
    case .gearMissing: "Attach the gear, leave it attached, and install the image again."
    case .updateInProgress: "Wait until the update has finished, or cancel it."
    case .otherImage: "Finish the other update, or force this one, which overwrites that part."
    case .downgrade: "Force the update if the older version is intended."
    case .damagedFirmware: "Install the image again; the transfer starts from its beginning."
    case .notInstalled: "Read the version again, then install the image again: a complete transfer is not repeated."
    }
  }
}

extension JacquardError.Code {
  /// The error ends a connection because a retry would fail in the same way. Another version of the protocol requires
  /// other firmware or another release of this library: such a tag stays wanted at the next start.
  var endsConnections: Bool { needsPerson || [.inUse, .stateFile, .protocolVersion, .notFound].contains(self) }

  /// Only the user can resolve it.
  var needsPerson: Bool {
    switch self {
    case .wrongCode, .pairingRefused, .otherOwner, .notBound, .bondLost: true
    default: false
    }
  }
}
