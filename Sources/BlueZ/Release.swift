/// A release of BlueZ, derived from the adapter's Modalias.
struct Release: Equatable {
  var major: UInt8
  var minor: UInt8

  init(_ major: UInt8, _ minor: UInt8) {
    self.major = major
    self.minor = minor
  }

  /// `Adapter1.Modalias` is vendor, product and version of the Device ID record, BlueZ's own unless main.conf overrides
  /// it.
  init?(modalias: String) {
    let prefix = "usb:v1D6Bp0246d"
    let version = modalias.dropFirst(prefix.count)
    guard modalias.hasPrefix(prefix), version.utf8.count == 4,
      let major = UInt8(version.prefix(2), radix: 16), let minor = UInt8(version.suffix(2), radix: 16)
    else { return nil }
    self.init(major, minor)
  }
}
