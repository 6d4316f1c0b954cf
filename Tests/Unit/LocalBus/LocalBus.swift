import CDBus
import EventLoop
import Glibc

/// A message bus inside this process, for simulations: it runs on their loop, so it only works while they
/// dispatch that loop. Programs connect to its address as to any bus.
///
/// It behaves like dbus-daemon for programs that own names without queueing for them; `LocalBusTests` compares the two.
public final class LocalBus {
  /// A forwarded message, for traces.
  public struct Traffic {
    public let serial: UInt32
    public let kind: Int32
    public let sender: String
    public let destination: String
    public let member: String
    public let path: String
    public let receivers: Int
  }

  public static let name = "org.freedesktop.DBus"
  public static let path = "/org/freedesktop/DBus"

  public let address: String
  /// Called for each forwarded message.
  public var passed: ((Traffic) -> Void)?

  let loop: EventLoop
  /// The first listener is that of `address`.
  private var listeners: [LocalBusListener] = []
  private var otherAddresses: [String] = []
  /// The peers in the order in which they connected.
  private var peers: [LocalBusPeer] = []
  private var owners: [String: LocalBusOwner] = [:]
  private var peerCount = 0

  /// Listens at an address that no other bus of this machine has. It stays the same over restarts.
  public init(_ loop: EventLoop) throws(LocalBusError) {
    self.loop = loop
    address = "unix:abstract=/local-bus/\(getpid())/\(UInt(bitPattern: ObjectIdentifier(loop)))"
    try start()
  }

  deinit { kill() }

  public var isRunning: Bool { !listeners.isEmpty }
  /// The match rules of all connected programs.
  public var matchRuleCount: Int { peers.reduce(0) { $0 + $1.rules.count } }
  public var connectionCount: Int { peers.count { $0.name != nil } }

  public func start() throws(LocalBusError) {
    guard !isRunning else { return }
    for address in [address] + otherAddresses { listeners.append(try LocalBusListener(self, address)) }
  }

  /// Another address of this bus, for programs that are killed together.
  public func anotherAddress() throws(LocalBusError) -> String {
    let new = "\(address)/\(otherAddresses.count + 1)"
    otherAddresses.append(new)
    if isRunning { listeners.append(try LocalBusListener(self, new)) }
    return new
  }

  /// Ends the connections of programs at this address, as when they are killed.
  public func cutOff(programsAt address: String) {
    for peer in peers where peer.address == address { peer.close() }
  }

  /// Ends as in a crash: all connected programs notice.
  public func kill() {
    for listener in listeners { listener.close() }
    listeners = []
    let last = peers
    (peers, owners) = ([], [:])
    for peer in last { peer.close() }
  }

  func accept(_ connection: OpaquePointer, at address: String) {
    guard let peer = try? LocalBusPeer(connection, at: address, self) else { return }
    peers.append(peer)
  }

  // MARK: Messages

  func receive(_ message: OpaquePointer, from peer: LocalBusPeer) {
    guard let sender = peer.name else {
      // Nothing may come before Hello.
      guard LocalBusMessage.isCall(message, of: "Hello") else { return peer.close() }
      return welcome(peer, message)
    }
    dbus_message_set_sender(message, sender)
    guard let destination = dbus_message_get_destination(message).map({ String(cString: $0) }) else {
      return broadcast(message, sender)
    }
    if destination == Self.name { return answer(message, peer) }
    guard let receiver = owners[destination]?.peer else {
      guard dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL else { return }
      return peer.fail(
        message, "ServiceUnknown", "The name \(destination) was not provided by any .service files")
    }
    switch dbus_message_get_type(message) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL where dbus_message_get_no_reply(message) == 0:
      receiver.owed.append((peer, dbus_message_get_serial(message)))
    case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR:
      let serial = dbus_message_get_reply_serial(message)
      peer.owed.removeAll { $0.caller === receiver && $0.serial == serial }
    default: break
    }
    note(message, sender, destination, receivers: 1)
    receiver.send(message)
  }

  private func broadcast(_ message: OpaquePointer, _ sender: String) {
    let senderNames = [sender] + owners.values.filter { $0.peer.name == sender }.map(\.name)
    let receivers = peers.filter { peer in peer.rules.contains { $0.matches(message, from: senderNames) } }
    note(message, sender, "", receivers: receivers.count)
    for receiver in receivers { receiver.send(message) }
  }

  private func note(_ message: OpaquePointer, _ sender: String, _ destination: String, receivers: Int) {
    guard let passed else { return }
    passed(
      Traffic(
        serial: dbus_message_get_serial(message), kind: dbus_message_get_type(message), sender: sender,
        destination: destination, member: dbus_message_get_member(message).map { String(cString: $0) } ?? "",
        path: dbus_message_get_path(message).map { String(cString: $0) } ?? "", receivers: receivers))
  }

  // MARK: Names

  private func welcome(_ peer: LocalBusPeer, _ call: OpaquePointer) {
    peerCount += 1
    let name = ":1.\(peerCount)"
    peer.name = name
    dbus_message_set_sender(call, name)
    peer.reply(call, [.string(name)])
    changeOwner(of: name, to: peer)
  }

  private func changeOwner(of name: String, to peer: LocalBusPeer?) {
    let old = owners[name]?.peer
    owners[name] = peer.map { LocalBusOwner(name: name, peer: $0, allowsReplacement: false) }
    old?.emit("NameLost", [name])
    LocalBusMessage.withSignal("NameOwnerChanged", [name, old?.name ?? "", peer?.name ?? ""]) {
      broadcast($0, Self.name)
    }
    peer?.emit("NameAcquired", [name])
  }

  /// The connection has ended.
  func lost(_ peer: LocalBusPeer) {
    guard let index = peers.firstIndex(where: { $0 === peer }) else { return }
    peers.remove(at: index)
    guard let name = peer.name else { return }
    for (caller, serial) in peer.owed {
      caller.failCall(serial, "NoReply", "Message recipient disconnected from message bus without replying")
    }
    for other in peers { other.owed.removeAll { $0.caller === peer } }
    // Well-known names are released first, because they were acquired last.
    for name in owners.values.filter({ $0.peer === peer && $0.name != name }).map(\.name).sorted() {
      changeOwner(of: name, to: nil)
    }
    changeOwner(of: name, to: nil)
  }

  private func requestName(_ name: String, _ flags: UInt32, _ peer: LocalBusPeer) -> UInt32 {
    let (mayBeReplaced, replaces): (Bool, Bool) = (flags & 1 != 0, flags & 2 != 0)
    if let owner = owners[name] {
      if owner.peer === peer {
        owners[name]?.allowsReplacement = mayBeReplaced
        return UInt32(DBUS_REQUEST_NAME_REPLY_ALREADY_OWNER)
      }
      guard replaces, owner.allowsReplacement else { return UInt32(DBUS_REQUEST_NAME_REPLY_EXISTS) }
    }
    changeOwner(of: name, to: peer)
    owners[name]?.allowsReplacement = mayBeReplaced
    return UInt32(DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
  }

  private func releaseName(_ name: String, _ peer: LocalBusPeer) -> UInt32 {
    guard let owner = owners[name] else { return UInt32(DBUS_RELEASE_NAME_REPLY_NON_EXISTENT) }
    guard owner.peer === peer else { return UInt32(DBUS_RELEASE_NAME_REPLY_NOT_OWNER) }
    changeOwner(of: name, to: nil)
    return UInt32(DBUS_RELEASE_NAME_REPLY_RELEASED)
  }

  // MARK: The bus's own methods

  private func answer(_ call: OpaquePointer, _ peer: LocalBusPeer) {
    guard dbus_message_get_type(call) == DBUS_MESSAGE_TYPE_METHOD_CALL else { return }
    let arguments = LocalBusMessage.arguments(of: call)
    let name = arguments.first?.text ?? ""
    switch (LocalBusMessage.member(of: call), arguments.map(\.type)) {
    case ("Hello", []): peer.fail(call, "Failed", "Already handled an Hello message")
    case ("AddMatch", ["s"]):
      guard let rule = LocalBusRule(parsing: name) else { return peer.fail(call, "MatchRuleInvalid", name) }
      peer.rules.append(rule)
      peer.reply(call)
    case ("RemoveMatch", ["s"]):
      guard let rule = LocalBusRule(parsing: name) else { return peer.fail(call, "MatchRuleInvalid", name) }
      guard let index = peer.rules.lastIndex(of: rule) else { return peer.fail(call, "MatchRuleNotFound", name) }
      peer.rules.remove(at: index)
      peer.reply(call)
    case ("RequestName", ["s", "u"]):
      guard LocalBusMessage.isWellKnown(name) else { return peer.fail(call, "InvalidArgs", "not a well-known name") }
      peer.reply(call, [.number(requestName(name, arguments[1].number, peer))])
    case ("ReleaseName", ["s"]):
      guard LocalBusMessage.isWellKnown(name) else { return peer.fail(call, "InvalidArgs", "not a well-known name") }
      peer.reply(call, [.number(releaseName(name, peer))])
    case ("GetNameOwner", ["s"]):
      let owner = name == Self.name ? Self.name : owners[name]?.peer.name
      guard let owner else {
        return peer.fail(call, "NameHasNoOwner", "Could not get owner of name '\(name)': no such name")
      }
      peer.reply(call, [.string(owner)])
    case ("NameHasOwner", ["s"]): peer.reply(call, [.boolean(name == Self.name || owners[name] != nil)])
    case ("ListNames", []):
      let known = owners.keys.sorted { ($0.hasPrefix(":") ? 1 : 0, $0) < ($1.hasPrefix(":") ? 1 : 0, $1) }
      peer.reply(call, [.strings([Self.name] + known)])
    case ("GetId", []): peer.reply(call, [.string(listeners.first?.identifier ?? "")])
    case ("GetConnectionUnixProcessID", ["s"]), ("GetConnectionUnixUser", ["s"]):
      guard name == Self.name || owners[name] != nil else {
        return peer.fail(call, "NameHasNoOwner", "Could not get owner of name '\(name)': no such name")
      }
      peer.reply(call, [.number(LocalBusMessage.member(of: call).hasSuffix("User") ? getuid() : UInt32(getpid()))])
    case ("StartServiceByName", ["s", "u"]):
      guard owners[name] == nil else { return peer.reply(call, [.number(UInt32(DBUS_START_REPLY_ALREADY_RUNNING))]) }
      peer.fail(call, "ServiceUnknown", "The name \(name) was not provided by any .service files")
    case ("Ping", []): peer.reply(call)
    default:
      peer.fail(call, "UnknownMethod", "\(Self.name) does not understand message \(LocalBusMessage.member(of: call))")
    }
  }
}

/// The owner of a name.
struct LocalBusOwner {
  let name: String
  let peer: LocalBusPeer
  var allowsReplacement: Bool
}

public struct LocalBusError: Error {
  public let reason: String
}
