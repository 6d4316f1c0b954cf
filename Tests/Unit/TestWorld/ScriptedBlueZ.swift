import DBus
import EventLoop

/// An org.bluez whose behaviour a test scripts, valid or invalid.
public final class ScriptedBlueZ {
  public typealias Interfaces = [String: PropertyMap]

  public let connection: BusConnection
  /// The reply to GetManagedObjects and GetAll. Signals update it.
  public var tree: [(path: String, interfaces: Interfaces)] = []
  /// Replies to GetManagedObjects and GetAll instead.
  public var answerTree: ((MethodCall) -> Void)?
  /// Handles all other calls; by default they succeed.
  public var answer: (MethodCall) -> Void = { try? $0.reply() }
  /// Whether calls get no reply. They are kept until this is false again.
  public var hangs = false { didSet { if !hangs { replyToHeld() } } }
  private var held: [MethodCall] = []
  /// Called members, in order, except GetManagedObjects, GetAll, and Introspect, which is used as a probe.
  public private(set) var calls: [String] = []
  public private(set) var treesGiven = 0
  /// The objects that calls have named, as their path or an argument.
  public private(set) var named: Set<String> = []
  private var export: Export?

  public init(_ loop: EventLoop, _ address: BusAddress) { connection = BusConnection(loop, address) }

  /// - Parameter replacing: takes the name from an owner that allows it.
  public func start(replacing: Bool = false) async throws {
    try await connection.open()
    export = try connection.export("/", tree: true) { [unowned self] in take($0) }
    try await connection.requestName("org.bluez", replaceExisting: replacing)
  }

  /// Ends the daemon as SIGKILL does.
  public func kill() { connection.close() }

  private func replyToHeld() {
    let calls = held
    held = []
    for call in calls { take(call) }
  }

  private func take(_ call: MethodCall) {
    guard !hangs else { return held.append(call) }
    named.formUnion([call.path] + call.body().compactMap(\.asObjectPath))
    if call.member == "Introspect" { return _ = try? call.reply([.string("<node/>")]) }
    if call.member == "GetAll" { return giveProperties(call) }
    guard call.member == "GetManagedObjects" else {
      calls.append(call.member)
      return answer(call)
    }
    treesGiven += 1
    if let answerTree { answerTree(call) } else { giveTree(call) }
  }

  public func giveTree(_ call: MethodCall) {
    let entries = tree.map { Value.Entry(.objectPath($0.path), Self.value(of: $0.interfaces)) }
    try? call.reply([.dictionary(key: "o", value: "a{sa{sv}}", entries)])
  }

  private func giveProperties(_ call: MethodCall) {
    let interfaces = tree.first { $0.path == call.path }?.interfaces
    guard let properties = call.body().first?.asString.flatMap({ interfaces?[$0] }) else {
      return call.fail(ErrorName.unknownObject, "")
    }
    try? call.reply([.properties(properties)])
  }

  private static func value(of interfaces: Interfaces) -> Value {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.sorted { $0.key < $1.key }.map { Value.Entry(.string($0.key), .properties($0.value)) })
  }

  // MARK: Signals

  public func add(_ path: String, _ interfaces: Interfaces) {
    if !tree.contains(where: { $0.path == path }) { tree.append((path, [:])) }
    update(path) { $0.merge(interfaces) { $1 } }
    emit("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", [.objectPath(path), Self.value(of: interfaces)])
  }

  public func remove(_ path: String, _ interfaces: [String]) {
    update(path) { for name in interfaces { $0[name] = nil } }
    tree.removeAll { $0.path == path && $0.interfaces.isEmpty }
    emit("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", [.objectPath(path), .strings(interfaces)])
  }

  public func change(_ path: String, _ interface: String, _ properties: PropertyMap, invalidated: [String] = []) {
    update(path) {
      $0[interface]?.merge(properties.filter { $0.key != "Value" }) { $1 }
      for name in invalidated { $0[interface]?[name] = nil }
    }
    emit(
      path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [.string(interface), .properties(properties), .strings(invalidated)])
  }

  private func update(_ path: String, _ change: (inout Interfaces) -> Void) {
    if let index = tree.firstIndex(where: { $0.path == path }) { change(&tree[index].interfaces) }
  }

  public func emit(_ path: String, _ interface: String, _ member: String, _ body: [Value]) {
    try? connection.emit(path: path, interface: interface, member: member, body)
  }
}

/// Paths and interfaces of a machine with one adapter and one tag.
public enum SampleMachine {
  public static let adapter = "/org/bluez/hci0"
  public static let device = adapter + "/dev_C0_FF_EE_00_00_01"
  public static let service = device + "/service000a"
  public static let characteristic = service + "/char000b"

  public static let adapterInterface = "org.bluez.Adapter1"
  public static let deviceInterface = "org.bluez.Device1"
  public static let serviceInterface = "org.bluez.GattService1"
  public static let characteristicInterface = "org.bluez.GattCharacteristic1"

  public static let adapterProperties: PropertyMap = [
    "Address": "00:1A:7D:DA:71:13", "Alias": "machine", "Powered": true, "Discovering": false,
    "Modalias": "usb:v1D6Bp0246d0542",
  ]
  public static let deviceProperties: PropertyMap = [
    "Adapter": .objectPath(adapter), "Address": "C0:FF:EE:00:00:01", "Name": "Jacquard-01ZK", "Alias": "Jacquard-01ZK",
    "Connected": false, "ServicesResolved": false, "Paired": false,
    "UUIDs": .strings(["d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"]),
  ]
  public static let characteristicProperties: PropertyMap = [
    "UUID": "D2F2B8D1-D165-445C-B0E1-2D6B642EC57B", "Service": .objectPath(service), "Notifying": false,
    "Flags": .strings(["notify"]), "MTU": .uint16(247),
  ]
}
