// swift-format-ignore-file
// Generated from the header and status-texts.json by docs/generator; do not edit.

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

extension JacquardError.Code {
  /// One sentence for the user. It describes the kind of failure; an error's message has the details.
  public var text: String { words.text }
  /// The usual remedy. The Bluetooth advice is based on the issue trackers of other Bluetooth libraries.
  public var advice: String { words.advice }

  private var words: (text: String, advice: String) {
    switch self {
    case .invalidArgument: ("An argument is missing, malformed or out of range.", "Correct the argument and try again.")
    case .invalidHandle: ("The handle was already released or is of another type.", "Keep a reference for as long as you use the handle.")
    case .busy: ("Another program, or the tag, is doing something that excludes this.", "Wait until it has finished.")
    case .closed: ("The owner of this object has been closed.", "Create a new one.")
    case .system: ("The kernel could not provide a resource.", "Check the limits of the process, such as the number of open files.")
    case .timeout: ("There was no response in time.", "Bring the tag closer and try again.")
    case .internalError: ("An internal error occurred in the library.", "Please report this with a log at level debug.")
    case .forked: ("This handle was created before fork(), in the parent process.", "Create a new manager in this process, or call fork() before the first one.")
    case .misuse: ("The call is not possible in this state.", "Make the call outside the callback, or after the other call has returned.")
    case .busAddress: ("The D-Bus address cannot be used.", "Use an address such as unix:path=/run/dbus/system_bus_socket.")
    case .busUnavailable: ("The D-Bus daemon is not reachable.", "Start the D-Bus system daemon, or in a container mount /run/dbus/system_bus_socket from the host.")
    case .bluezUnavailable: ("The Bluetooth service is not running.", "Install bluez and start it: systemctl start bluetooth.")
    case .permissionDenied: ("This user may not use Bluetooth.", "Add the user to the group bluetooth and log in again, or check the D-Bus policy.")
    case .noAdapter: ("There is no Bluetooth adapter.", "Plug in a Bluetooth adapter; bluetoothctl list and dmesg show why one is missing.")
    case .poweredOff: ("Bluetooth is powered off.", "Turn Bluetooth on: bluetoothctl power on; if that fails, rfkill unblock bluetooth.")
    case .adapterRefused: ("The Bluetooth adapter currently refuses the operation.", "Stop other programs that scan, or power the adapter off and on.")
    case .stateFile: ("The known tags cannot be read or written.", "Check that $XDG_STATE_HOME/jacquard, or by default ~/.local/state/jacquard, is writable.")
    case .serviceUnavailable: ("The Jacquard service cannot be used.", "None needed at first: the library tries again. If it persists: systemctl --user restart jacquardd.")
    case .notFound: ("The tag was not found.", "Hold the tag's button for three seconds until its light pulses, and bring it closer.")
    case .connectFailed: ("The link could not be established.", "None needed at first: the library retries. If it persists, bring the tag closer; a Wi-Fi access point on the same chip can disturb Bluetooth.")
    case .connectionLost: ("The link was lost.", "None needed: the library reconnects when the tag is back.")
    case .deviceGone: ("The Bluetooth service removed the tag.", "None needed: the library searches for the tag again.")
    case .incompleteGatt: ("The tag does not offer the complete Jacquard service.", "None needed at first: the library removes an unbound tag from the Bluetooth service and retries. If the error persists, forget the tag in the Bluetooth settings, and bind it again if it was bound.")
    case .bondLost: ("The tag has lost its bond with this machine.", "Unbind the tag here and bind it again.")
    case .gatt: ("A Bluetooth attribute operation failed.", "Try again; if it fails repeatedly, forget the tag in the Bluetooth settings and connect again.")
    case .staleTag: ("This tag handle belongs to an earlier link.", "Use the tag of the connection's latest state.")
    case .staleGear: ("This gear was detached from the tag.", "Use the gear that was delivered last.")
    case .wrongCode: ("The code does not match this tag.", "Check the number printed on the tag, and that this is the right tag.")
    case .pairingRefused: ("The tag or the Bluetooth service refused to pair.", "Hold the tag's button until its light pulses, and try again.")
    case .otherOwner: ("The tag is bound to another owner.", "Unbind the tag, then bind it to its new owner.")
    case .notBound: ("The tag must be bound to this machine first.", "Bind the tag, or bind it again, with the code printed on it.")
    case .inUse: ("Another program is using this tag.", "Stop the other program. Programs share tags if the service runs before them: systemctl --user start jacquardd.socket, or, where there is no systemd: jacquardd.")
    case .alreadyConnected: ("The manager already has a connection to this tag.", "Use the connection that exists, or end it first.")
    case .malformedResponse: ("The tag's response is incomplete or malformed.", "Try again; if it fails repeatedly, the tag may need other firmware.")
    case .protocolVersion: ("The tag uses another version of the protocol.", "Update the tag's firmware.")
    case .tagStatus: ("The tag responded with an error.", "Check the tag's status for the cause.")
    case .unsupported: ("The component does not support this.", "Check the component's capabilities first.")
    case .unchanged: ("The tag already has this name.", "None needed.")
    case .captureInProgress: ("The tag is already recording or streaming motion.", "Stop the recording or the stream first.")
    case .lowBattery: ("The tag's battery is too low.", "Charge the tag.")
    case .lowStorage: ("The tag has too little free storage for a recording.", "Download sessions and erase them on the tag.")
    case .moduleMissing: ("The motion module is not installed on the tag.", "Use another tag: the module can no longer be downloaded.")
    case .damagedSession: ("The downloaded session differs from the one that the tag listed.", "Remove the downloaded file and download the session again.")
    case .firmwareImage: ("The firmware image cannot be used.", "Check the file; nothing was sent to the tag.")
    case .firmwareManifest: ("The firmware image and its manifest differ.", "Use the manifest that belongs to the image; nothing was sent to the tag.")
    case .wrongProduct: ("The firmware image is for another product.", "Use an image for this tag or its gear; nothing was sent to the tag.")
    case .gearMissing: ("The gear that the firmware image is for is not attached.", "Attach the gear, leave it attached, and install the image again.")
    case .updateInProgress: ("The tag's firmware is being updated.", "Wait until the update has finished, or cancel it.")
    case .otherImage: ("A part of another firmware image is on the tag.", "Finish the other update, or force this one, which overwrites that part.")
    case .downgrade: ("The firmware image is older than the installed firmware.", "Force the update if the older version is intended.")
    case .damagedFirmware: ("The tag stored the firmware image incorrectly.", "Install the image again; the transfer starts from its beginning.")
    case .notInstalled: ("The firmware was not installed.", "Read the version again, then install the image again: a complete transfer is not repeated.")
    }
  }
}
