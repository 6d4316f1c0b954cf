/// What went wrong, in the terms of the header: one code, what is known of the cause, and what a person can do.
public struct JacquardError: Error, Equatable {
  public var code: Code
  /// Printable, whatever was put into it.
  public let message: String
  public var advice: String
  public var systemErrno: Int32 = 0
  public var attCode: UInt8 = 0
  public var tagStatus: UInt32 = 0
  public var dbusName: String?

  public init(_ code: Code, _ message: String, advice: String? = nil) {
    self.code = code
    self.message = message.printable
    self.advice = advice ?? code.advice
  }
}

extension JacquardError: CustomStringConvertible {
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

    case busAddress = -20
    case busUnavailable = -21
    case bluezUnavailable = -22
    case permissionDenied = -23
    case noAdapter = -24
    case poweredOff = -25
    case adapterRefused = -26
    case stateFile = -27

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

    case malformedResponse = -60
    case protocolVersion = -61
    case tagStatus = -62
    case unsupported = -63
    case unchanged = -64
  }
}

extension JacquardError {
  public static func invalid(_ what: String) -> JacquardError { JacquardError(.invalidArgument, what) }
}

extension JacquardError.Code {
  /// One sentence for a person. It says the kind of failure; an error's message says which one it was.
  public var text: String {
    switch self {
    case .invalidArgument: "An argument is missing, malformed or out of range."
    case .invalidHandle: "The handle was released already or is of another kind."
    case .busy: "Another call is doing this already."
    case .closed: "The owner of this object has been closed."
    case .system: "The kernel refused a resource."
    case .timeout: "There was no answer in time."
    case .internalError: "An error inside the library."
    case .forked: "This handle belongs to the process before fork()."
    case .busAddress: "The D-Bus address cannot be used."
    case .busUnavailable: "The D-Bus daemon does not answer."
    case .bluezUnavailable: "The Bluetooth service is not running."
    case .permissionDenied: "This user may not use Bluetooth."
    case .noAdapter: "There is no Bluetooth adapter."
    case .poweredOff: "Bluetooth is switched off."
    case .adapterRefused: "The Bluetooth adapter refuses for now."
    case .notFound: "The tag was not seen."
    case .connectFailed: "The link could not be made."
    case .connectionLost: "The link was lost."
    case .deviceGone: "The Bluetooth service forgot the tag."
    case .incompleteGatt: "The tag does not offer the Jacquard service in full."
    case .bondLost: "The tag no longer knows this machine."
    case .gatt: "A Bluetooth attribute operation failed."
    case .staleTag: "This tag handle belongs to a link that has ended."
    case .staleGear: "This gear was taken off the tag."
    case .wrongCode: "The code is not the one printed on this tag."
    case .pairingRefused: "The tag or the Bluetooth service refused to pair."
    case .otherOwner: "The tag is bound to another owner."
    case .notBound: "The tag must be bound to this machine first."
    case .inUse: "Another program has this tag."
    case .stateFile: "The known tags cannot be read or written."
    case .malformedResponse: "The tag's answer lacks what it must hold."
    case .protocolVersion: "The tag speaks another version of the protocol."
    case .tagStatus: "The tag answered with an error."
    case .unsupported: "The component cannot do this."
    case .unchanged: "The tag has this name already."
    }
  }

  /// What usually helps. Sources of the Bluetooth ones: the trackers of the libraries that meet them every day.
  public var advice: String {
    switch self {
    case .invalidArgument: "Correct it, and try again."
    case .invalidHandle: "Keep a reference for as long as the handle is used."
    case .busy: "Wait for the other call to end."
    case .closed: "Create a new one."
    case .system: "Check the limits of the process, such as the number of open files."
    case .timeout: "Bring the tag closer and try again."
    case .internalError: "Please report it with the log at level debug."
    case .forked: "Create a new manager in this process, or call fork() before the first one."
    case .busAddress: "Use an address such as unix:path=/run/dbus/system_bus_socket."
    case .busUnavailable:
      "Start the D-Bus system daemon, or in a container mount /run/dbus/system_bus_socket from the host."
    case .bluezUnavailable: "Install bluez and start it: systemctl start bluetooth."
    case .permissionDenied: "Add the user to the group bluetooth and log in again, or check the D-Bus policy."
    case .noAdapter: "Plug in a Bluetooth adapter, or see with bluetoothctl list and dmesg why it is not there."
    case .poweredOff: "Switch Bluetooth on: bluetoothctl power on; if that fails, rfkill unblock bluetooth."
    case .adapterRefused: "Stop other programs that scan, or switch the adapter off and on."
    case .notFound: "Hold the tag's button for three seconds until its light pulses, and bring it closer."
    case .connectFailed:
      "None needed at first: the library tries again. If it persists, bring the tag closer; a Wi-Fi access point on the same "
        + "chip can disturb Bluetooth."
    case .connectionLost: "None needed: the library reconnects when the tag is back."
    case .deviceGone: "None needed: the library searches for the tag again."
    case .incompleteGatt:
      "None needed at first: the library tries again, for an unbound tag after the Bluetooth service has forgotten it. If it "
        + "persists, forget the tag in the Bluetooth settings, and bind it again if it was bound."
    case .bondLost: "Unbind the tag here and bind it again."
    case .gatt: "Try again; if it keeps failing, forget the tag in the Bluetooth settings and connect again."
    case .staleTag: "Use the tag of the connection's latest state."
    case .staleGear: "Use the gear that was announced last."
    case .wrongCode: "Read the number on the tag again, and check that this is the tag that was found."
    case .pairingRefused: "Hold the tag's button until its light pulses, and try again."
    case .otherOwner: "Unbind the tag, then bind it to its new owner."
    case .notBound: "Bind the tag, again if it was bound, with the code printed on it."
    case .inUse: "End the other program, or let it disconnect from the tag."
    case .stateFile: "Check that $XDG_STATE_HOME/jacquard, else ~/.local/state/jacquard, can be written."
    case .malformedResponse, .protocolVersion: "Update the tag's firmware."
    case .tagStatus: "See the status for the cause."
    case .unsupported: "Ask the component for its capabilities first."
    case .unchanged: "None needed."
    }
  }
}

extension JacquardError.Code {
  /// A connection ends with it: trying again would come to the same. Another version of the protocol takes other firmware
  /// or another release of this library: such a tag is wanted again at the next start.
  var endsConnections: Bool { needsPerson || [.inUse, .stateFile, .protocolVersion].contains(self) }

  /// Nothing but what a person does will help.
  var needsPerson: Bool {
    switch self {
    case .wrongCode, .pairingRefused, .otherOwner, .notBound, .bondLost: true
    default: false
    }
  }
}
