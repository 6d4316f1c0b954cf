import DBus

/// One client's discovery filter.
struct DiscoveryFilter {
  static let names = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]

  var uuids: [String] = []
  var rssi: Int16?
  var pathloss: UInt16?
  var duplicateData = false
  var pattern: String?

  init(_ properties: PropertyMap) throws {
    for (name, value) in properties {
      switch (name, value) {
      case ("UUIDs", .array("s", let values)): uuids = values.compactMap(\.asString).map { $0.lowercased() }
      case ("RSSI", .int16(let value)) where (-127...20).contains(value): rssi = value
      case ("Pathloss", .uint16(let value)) where value <= 137: pathloss = value
      case ("Transport", .string(let value)) where ["auto", "le", "bredr"].contains(value): break
      case ("DuplicateData", .boolean(let value)): duplicateData = value
      case ("Discoverable", .boolean): break
      case ("Pattern", .string(let value)): pattern = value
      default: throw MethodFailure.invalidArguments
      }
    }
    if rssi != nil, pathloss != nil { throw MethodFailure.invalidArguments }
  }

  func accepts(_ tag: SoftwareTag, rssi strength: Int16) -> Bool {
    if let pattern, !tag.advertisedName.hasPrefix(pattern), !tag.profile.address.hasPrefix(pattern) { return false }
    if !uuids.isEmpty, !uuids.contains(TagCharacteristic.serviceUUID) { return false }
    if let rssi, strength < rssi { return false }
    return true
  }
}
