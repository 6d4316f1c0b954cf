import DBus

/// A device of the machine's owner other than a tag. bluetoothd has stored it, so it stays until a program removes it.
/// It obeys every call, so a call that it should not have received has an effect.
final class Neighbour {
  struct Kind {
    let name: String
    var address = "random"
    /// Nil: bluetoothd has not reported any.
    var services: [String]?
    var title: String?
    var isBonded = false
    var isTrusted = false
    var isConnected = false
    var company: UInt16?

    /// Only their services distinguish them from tags, and those of some are not known.
    static let all = [
      Kind(
        name: "keyboard", services: ["1812", "180f", "180a"], title: "Keyboard", isBonded: true, isTrusted: true,
        isConnected: true),
      Kind(
        name: "headset", address: "public", services: ["110b", "111e", "110e"], title: "Headset", isBonded: true,
        isTrusted: true, isConnected: true),
      Kind(name: "phone", address: "public", services: ["110a", "111f", "1105"], title: "Phone", isBonded: true),
      Kind(name: "thermometer", services: ["181a"]),
      Kind(name: "beacon", services: [], company: 0x004c),
      Kind(name: "stranger"),
      Kind(name: "mouse", title: "Mouse", isBonded: true, isTrusted: true, isConnected: true),
      Kind(name: "namesake", services: ["fe2c"], title: "Jacquard-01ZK", company: 0x00e0),
      Kind(
        name: "speaker", address: "public", services: ["110b"], title: "Speaker", isTrusted: true, isConnected: true),
      Kind(name: "remote", services: [], isBonded: true),
    ]
  }

  let kind: Kind
  let address: String
  /// The members of all calls that named it.
  private(set) var calls: [String] = []
  private let interface: ExportedInterface
  private var object: ExportedObject?
  private weak var adapter: FakeAdapter?
  private var isRemoved = false
  /// It connects by itself whenever it can, until a program disconnects it.
  private var wantsLink: Bool

  init(number: Int) {
    kind = Kind.all[number % Kind.all.count]
    let digits = [number >> 8, number].map { hex([UInt8($0 & 0xff)]).uppercased() }
    address = "D0:00:00:00:" + digits.joined(separator: ":")
    wantsLink = kind.isConnected
    let title = kind.title ?? String(address.map { $0 == ":" ? "-" : $0 })
    var properties: PropertyMap = [
      "Address": .string(address), "AddressType": .string(kind.address), "Alias": .string(title),
      "Paired": .boolean(kind.isBonded), "Bonded": .boolean(kind.isBonded), "Trusted": .boolean(kind.isTrusted),
      "Blocked": false, "LegacyPairing": false, "Connected": false, "ServicesResolved": false,
    ]
    if kind.title != nil { properties["Name"] = .string(title) }
    if let services = kind.services {
      properties["UUIDs"] = .strings(services.map { "0000\($0)-0000-1000-8000-00805f9b34fb" })
    }
    if let company = kind.company {
      properties["ManufacturerData"] = .dictionary(
        key: "q", value: "v", [.init(.uint16(company), .variant(.bytes([0, 1, 2, 3])))])
    }
    interface = ExportedInterface("org.bluez.Device1", properties)
    interface.methods = [
      "Connect": { [unowned self] in try connect($0) },
      "Disconnect": { [unowned self] in disconnect($0) },
      "Pair": { _ in throw MethodFailure.authenticationFailed },
      "CancelPairing": { _ in throw MethodFailure.doesNotExist },
    ]
    for name in ["Trusted", "Blocked", "Alias"] {
      interface.setters[name] = { [unowned self] in object?.change(interface, [name: $0]) }
    }
  }

  private func flag(_ name: String) -> Bool { interface[name]?.asBool == true }

  /// Whether its state is the initial one, apart from a link that cannot be up at the moment.
  var isUntouched: Bool {
    calls.isEmpty && !isRemoved && wantsLink == kind.isConnected && flag("Bonded") == kind.isBonded
      && (adapter?.isPowered != true || flag("Connected") == kind.isConnected)
  }

  /// Its address, kind and state, and the calls that named it.
  var text: String {
    let states = [(isRemoved, "removed"), (flag("Bonded"), "bonded"), (flag("Connected"), "connected")]
    let state = states.filter(\.0).map { " " + $0.1 }.joined()
    return "\(address) \(kind.name)\(state)" + (calls.isEmpty ? "" : ": " + calls.joined(separator: " "))
  }

  // MARK: - Its object

  var path: String? { object?.path }

  /// The adapter is there.
  func appear(on adapter: FakeAdapter) {
    guard !isRemoved else { return }
    let object = ExportedObject(
      adapter.path + "/dev_" + String(address.map { $0 == ":" ? "_" : $0 }), [interface])
    (self.object, self.adapter) = (object, adapter)
    object.change(interface, ["Adapter": .objectPath(adapter.path)])
    radio(isOn: adapter.isPowered)
    adapter.daemon.server?.add(object)
  }

  func vanish() {
    radio(isOn: false)
    if let object { adapter?.daemon.server?.remove(object) }
    (object, adapter) = (nil, nil)
  }

  /// The radio can be used or not: the power of the adapter, and whether the machine is awake.
  func radio(isOn: Bool) { object?.change(interface, ["Connected": .boolean(isOn && wantsLink)]) }

  /// A discovery begins or ends. A connected device does not advertise.
  func discovery(isOn: Bool) {
    guard kind.address == "random", !flag("Connected") else { return }
    object?.change(interface, ["RSSI": isOn ? .int16(-70) : nil])
  }

  func remove() {
    wantsLink = false
    object?.change(interface, ["Paired": false, "Bonded": false])
    vanish()
    isRemoved = true
  }

  // MARK: - Calls

  /// Records a call of any program if it is for this device or has it as an argument.
  func note(_ call: MethodCall) {
    guard let path else { return }
    let isFor = call.path == path || call.path.hasPrefix(path + "/")
    if isFor || call.arguments.contains(where: { $0.asObjectPath == path }) { calls.append(call.member) }
  }

  private func connect(_ call: MethodCall) throws {
    guard adapter?.isPowered == true else { throw MethodFailure.notReady }
    wantsLink = true
    radio(isOn: true)
    call.answer()
  }

  private func disconnect(_ call: MethodCall) {
    wantsLink = false
    radio(isOn: false)
    call.answer()
  }
}
