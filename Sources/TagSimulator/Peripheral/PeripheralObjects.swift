import DBus

/// The objects that bluetoothd needs to provide the Jacquard service: the service and its characteristics.
final class PeripheralApplication {
  static let root = "/jacquard/tag"

  private let server: ObjectServer
  private let tag: SoftwareTag
  private var characteristics: [TagCharacteristic: (object: ExportedObject, interface: ExportedInterface)] = [:]

  /// Subscriptions of the host. bluetoothd keeps the subscriptions of a bonded host across links without reporting
  /// them.
  private(set) var subscribed: Set<TagCharacteristic> = []
  /// A host has written or subscribed, so one is connected, even if bluetoothd has not reported it.
  var used: (_ device: String?, _ mtu: UInt16?) -> Void = { _, _ in }

  init(_ connection: BusConnection, _ tag: SoftwareTag) throws {
    self.tag = tag
    server = try ObjectServer(connection, root: Self.root)
    let service = Self.root + "/service"
    server.add(
      ExportedObject(
        service,
        [
          ExportedInterface(
            "org.bluez.GattService1", ["UUID": .string(TagCharacteristic.serviceUUID), "Primary": true])
        ]))
    for kind in TagCharacteristic.allCases {
      let interface = ExportedInterface(
        "org.bluez.GattCharacteristic1",
        [
          "UUID": .string(kind.uuid), "Service": .objectPath(service), "Flags": .strings(tag.guardedFlags(of: kind)),
        ])
      interface.methods = [
        "WriteValue": { [unowned self] in try write($0, to: kind) },
        "StartNotify": { [unowned self] in subscribe(true, kind, $0) },
        "StopNotify": { [unowned self] in subscribe(false, kind, $0) },
        "ReadValue": { _ in throw MethodFailure.notPermitted("Read not permitted") },
      ]
      let object = ExportedObject(service + "/\(kind)", [interface])
      characteristics[kind] = (object, interface)
      server.add(object)
    }
  }

  /// A restarted bluetoothd knows only the subscriptions of a bonded host.
  func forgetSubscriptions() { subscribed = [] }

  func notify(_ characteristic: TagCharacteristic, _ value: [UInt8]) {
    guard let (object, interface) = characteristics[characteristic] else { return }
    object.emit(interface, ["Value": .bytes(value)])
  }

  private func subscribe(_ on: Bool, _ kind: TagCharacteristic, _ call: MethodCall) {
    if on {
      used(nil, nil)
      subscribed.insert(kind)
    } else {
      subscribed.remove(kind)
    }
    tag.setNotifying(on, on: kind)
    call.answer()
  }

  private func write(_ call: MethodCall, to kind: TagCharacteristic) throws {
    let arguments = call.arguments
    guard arguments.count == 2, let value = arguments[0].asBytes, let options = arguments[1].asProperties else {
      throw MethodFailure.invalidArguments
    }
    used(options["device"]?.asObjectPath, options["mtu"]?.asInteger())
    // Release 5.66 does not report the type of a write; it has refused types that the characteristic does not support.
    let type = options["type"]?.asString.flatMap(WriteType.init) ?? (tag.offersWriteRequest ? .request : .command)
    if let error = tag.write(value, to: kind, type: type) { throw MethodFailure.attribute(error) }
    call.answer()
  }
}

extension SoftwareTag {
  /// The properties of a characteristic, by bluetoothd's names.
  func flags(of characteristic: TagCharacteristic) -> [String] {
    var flags: [String] = []
    if characteristic == .command || characteristic == .rawData {
      flags.append("write-without-response")
      if offersWriteRequest { flags.append("write") }
    }
    if characteristic.notifies { flags.append("notify") }
    return flags
  }

  /// The same, with the encryption flags for a tag that requires a bond.
  func guardedFlags(of characteristic: TagCharacteristic) -> [String] {
    let flags = flags(of: characteristic)
    return profile.requiresBond && flags.contains("write-without-response") ? flags + ["encrypt-write"] : flags
  }
}

/// The tag's advertising data: 29 of the 31 octets of a legacy advertisement, and the name in the scan response.
final class PeripheralAdvertisement {
  static let root = "/jacquard/advertisement"

  private let server: ObjectServer
  private let object: ExportedObject
  private let interface: ExportedInterface

  /// - Parameter released: called when bluetoothd has released the advertisement.
  init(_ connection: BusConnection, _ tag: SoftwareTag, released: @escaping () -> Void) throws {
    server = try ObjectServer(connection, root: Self.root)
    interface = ExportedInterface(
      "org.bluez.LEAdvertisement1",
      [
        "Type": "peripheral", "ServiceUUIDs": .strings([TagCharacteristic.serviceUUID]),
        "ManufacturerData": .dictionary(
          key: "q", value: "v",
          [.init(.uint16(0x00e0), .variant(.bytes(SimulatedSerialNumber.pack(tag.profile.serial))))]),
        "LocalName": .string(tag.advertisedName), "Discoverable": true,
      ])
    interface.methods["Release"] = {
      $0.answer()
      released()
    }
    object = ExportedObject(Self.root, [interface])
    server.add(object, announced: false)
  }

  func rename(_ name: String) { object.change(interface, ["LocalName": .string(name)]) }
}

/// Lets hosts pair without confirmation, like a tag without display and keys, or refuses if a scenario says so.
final class PeripheralAgent {
  static let root = "/jacquard/agent"

  private let server: ObjectServer

  init(_ connection: BusConnection, _ tag: SoftwareTag) throws {
    server = try ObjectServer(connection, root: Self.root)
    let interface = ExportedInterface("org.bluez.Agent1")
    for method in ["RequestAuthorization", "AuthorizeService", "RequestConfirmation"] {
      interface.methods[method] = { [unowned tag] in
        guard tag.profile.pairing != .refused else { throw MethodFailure.rejected }
        $0.answer()
      }
    }
    for method in ["Release", "Cancel"] { interface.methods[method] = { $0.answer() } }
    server.add(ExportedObject(Self.root, [interface]), announced: false)
  }
}
