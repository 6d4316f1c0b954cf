import EventLoop

@testable import BlueZ
@testable import DBus
@testable import Jacquard

extension Target {
  /// The objects of a bluetoothd that sends arbitrary signals; every property is read after each of them.
  static let objects = Target(name: "objects") { input in
    var choices = Choices(input)
    let cache = ObjectCache(loop: try EventLoop(clock: .virtual(VirtualClock())))
    while !choices.isEmpty {
      let path = choices.pick(paths)
      let interface = choices.pick(interfaces)
      switch choices.index(below: 6) {
      case 0, 1:
        cache.take(path, "added", [.objectPath(path), [interface: choices.properties()]], cache.interfacesAdded)
      case 2: cache.take(path, "removed", [.objectPath(path), .strings([interface])], cache.interfacesRemoved)
      case 3, 4:
        let body: [Value] = [.string(interface), choices.properties(), .strings([choices.pick(names)])]
        cache.take(path, "changed", body, cache.propertiesChanged)
      default: cache.take(path, "gone", [choices.value(3), choices.value(3)], cache.follow)
      }
      for device in cache.devices {
        _ = Advertisement(device)
        if let found = cache.characteristic("uuid", service: "uuid", of: device) {
          cache.listen(found, choices.byte() > 127)
        }
      }
      _ = cache.adapters.map { ($0.address, $0.alias, $0.powered, $0.discovering) }
    }
    cache.clear()
    require(cache.devices.isEmpty && cache.adapters.isEmpty, "something outlived bluetoothd")
  }

  private static let adapter = "/org/bluez/hci0"
  private static let paths = [
    adapter, adapter + "/dev_1", adapter + "/dev_1/service1", adapter + "/dev_1/service1/char1",
  ]
  private static let interfaces = [
    Interface.adapter, .device, .gattService, .gattCharacteristic, .properties,
  ].map(\.rawValue)
  fileprivate static let names = [
    "Adapter", "Address", "Name", "Alias", "RSSI", "UUIDs", "ManufacturerData", "Paired", "Trusted", "Bonded",
    "Connected", "ServicesResolved", "PreferredBearer", "Powered", "Discovering", "UUID", "Service", "Device", "Flags",
    "MTU", "Notifying", "Value", "Primary", "PowerState",
  ]
}

extension ObjectCache {
  fileprivate func take(_ path: String, _ member: String, _ body: [Value], _ signal: (MessageView) -> Void) {
    guard let message = try? Message.signal(path: path, interface: "x.y", member: member, body) else { return }
    signal(MessageView(pointer: message.pointer))
  }
}

extension Choices {
  fileprivate mutating func properties() -> Value {
    var properties: PropertyMap = [:]
    for _ in 0..<index(below: 5) { properties[pick(Target.names)] = value(3) }
    return .properties(properties)
  }

  fileprivate mutating func value(_ depth: Int) -> Value {
    switch index(below: depth > 0 ? 18 : 13) {
    case 0: .byte(byte())
    case 1: .boolean(byte() & 1 == 1)
    case 2: .int16(number())
    case 3: .uint16(number())
    case 4: .int32(number())
    case 5: .uint32(number())
    case 6: .int64(number())
    case 7: .double(Double(bitPattern: number()))
    case 8: .string(text())
    case 9: .objectPath("/org/bluez/hci0/dev_1")
    case 10: .string("4cbf0001")
    case 11: .bytes(bytes())
    case 12: .strings([text(), "uuid"])
    case 13: properties()
    case 14: .dictionary(key: "q", value: "v", [.init(.uint16(number()), .variant(value(depth - 1)))])
    case 15: .structure([value(depth - 1), value(depth - 1)])
    case 16: .variant(value(depth - 1))
    default: .dictionary(key: "q", value: "v", [.init(.uint16(0x00e0), .variant(.bytes(bytes())))])
    }
  }
}
