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
  case requireBond(Bool)
  case pairing(TagProfile.Pairing)
  case firmware(Version)
  case nextFirmware(Version)
  case flashTime(Duration)
  case writeTime(Duration)
  case corruptBlock
  case verification(FirmwareVerification)
  case powerLoss(PowerLoss)
  case gearReport(GearReport)
  case drain(everyBlocks: Int?)
  case greeting(TagBehaviour.Greeting, once: Bool)
  case imageRemoval(TagBehaviour.ImageRemoval)
  case flashing(TagBehaviour.Flashing)
  case secondHello(TagBehaviour.SecondHello)
  case bonds(TagBehaviour.Bonds)
  case address(TagBehaviour.Address)
  case pairElsewhere
  case linkTime(Duration?)
  case latency(Duration)
  case airTime(Duration)
  case patience(Duration)
  case sleepAfter(Duration)
  case protocolVersions(UInt32, UInt32)
  case corrupt(TagCharacteristic, PacketDamage)
  case send(TagCharacteristic, [UInt8])
  case sendPacket(TagCharacteristic, [UInt8])
  case sendRawPacket(sequence: UInt8, [UInt8])
  case mute(Bool)
  case react(Reaction)
  case heed
  case module(Bool)
  case reportLoads(LoadReport)
  case restartPacketNumbers(Bool)
  case storageFull(Bool)
  case motion(MotionBehaviour)
  case session(trial: String, samples: Int)
  case recording(trial: String, path: String)
  case rename(String)
  case serial(String)
}

/// The behaviour of the tag's motion capture from now on.
public enum MotionBehaviour: Equatable, Sendable {
  /// The tag's clock differs by this many parts per million.
  case drift(Int)
  /// The sensor is faster than configured by this many parts per thousand.
  case rateError(Int)
  /// This many of a thousand values of a stream are lost.
  case loss(Int)
  /// The tag's clock at its start.
  case ticks(UInt32)
  /// The status of the data collection; nil: the real one.
  case status(UInt32?)
  case eraseTime(Duration)
  case eraseResponse(TagBehaviour.EraseResponse)
  /// The number in the report of the end of an erase; nil: no report.
  case eraseReport(UInt32?)
}

/// The actions of the host's machine: its Bluetooth daemon and its adapter.
public enum HostAction: Equatable, Sendable {
  public enum Daemon: String, CaseIterable, Sendable { case kill, stop, start, restart, hang, `continue` }
  public enum ConnectFault: Equatable, Sendable {
    case error(String, times: Int?)
    case hang(times: Int?)
    /// An error; the link comes up briefly afterwards.
    case flap(times: Int?)
    /// None, but the tag ends the link as soon as it is encrypted.
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
