/// The actions of a simulated world.
public enum ScenarioAction: Equatable, Sendable {
  case tag(TagAction)
  case host(HostAction)
  case foreign(ForeignAction)
}

/// The actions of a tag.
public enum TagAction: Equatable, Sendable {
  case gesture(UInt32)
  case touch([UInt8])
  case touchSweep
  case touchLift
  /// A person makes one of these; without a seed, each time is different.
  case stroke([Stroke], person: UInt64, seed: UInt64?)
  case attach(Gear, component: UInt32?)
  case detach
  case battery(UInt32, charging: Bool?)
  case inRange(Bool)
  case dropLink
  case advertise(Bool)
  case advertiseEvery(Duration)
  case rssi(Int16)
  case move
  case sleep
  case reboot
  case forgetBond
  case greeting(TagBehaviour.Greeting, once: Bool)
  case pairElsewhere
  case patience(Duration)
  case corrupt(TagCharacteristic, PacketDamage)
  case send(TagCharacteristic, [UInt8])
  case sendPacket(TagCharacteristic, [UInt8])
  case sendRawPacket(sequence: UInt8, [UInt8])
  case mute(Bool)
  case react(Reaction)
  case heed
  case module(Bool)
  case storageFull(Bool)
  case session(trial: String, samples: Int)
  case recording(trial: String, path: String)
  case rename(String)
  case serial(String)
  case setting(TagSetting)
}

/// The actions of the host's machine: its Bluetooth daemon and its adapter.
public enum HostAction: Equatable, Sendable {
  public enum Daemon: String, CaseIterable, Sendable { case kill, stop, start, restart, hang, `continue` }
  public enum ConnectFault: Equatable, Sendable {
    case error(String, times: Int?)
    case hang(times: Int?)
    /// Connect fails, and the link comes up briefly afterwards.
    case flap(times: Int?)
    /// Connect succeeds, but the tag ends the link as soon as it is encrypted.
    case drop(times: Int?)
    case none
  }
  /// bluetoothd's request to the agent of the pairing client.
  public enum PairingQuestion: String, CaseIterable, Sendable {
    case nothing, confirmation, authorization, pin, passkey
  }

  case daemon(Daemon, downtime: Duration)
  case powered(Bool)
  case blocked(Bool)
  case adapterPresent(Bool, index: Int)
  case connectTime(Duration)
  case connectFault(ConnectFault)
  case pairingTime(Duration)
  case pairingQuestion(PairingQuestion)
  case resolveTime(Duration)
  case disconnectTime(Duration)
  case capacity(Int)
  case silentConnected(Bool)
  case resolvedFirst(Bool)
  case saysWhyDisconnected(Bool)
  case release(UInt8)
  case asleep(Bool)
  case connectUnanswered(Bool)
  case writeUnanswered(Bool)
  case securityUnanswered(Bool)
  case notifyFails(times: Int?)
  case notifyWorks
  case resolveIncomplete(times: Int?)
  case resolveWorks
  case renumberServices
  case removeServices
  case refuseDiscovery(String, times: Int?)
  case allowDiscovery
  /// Devices other than tags.
  case neighbours(Int)
}

/// An action that is currently impossible, such as a gesture without gear.
public struct TagActionError: Error, Equatable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}
