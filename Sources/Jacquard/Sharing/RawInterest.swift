/// What a program wants of the raw data that the tag sends, whichever program has requested it. Others are not woken.
struct RawInterest: OptionSet {
  let rawValue: UInt32

  /// Payloads of the raw data channel.
  static let packets = RawInterest(rawValue: 1)
  /// Values of the raw data characteristic.
  static let values = RawInterest(rawValue: 2)
}

extension Notifications {
  var rawInterest: RawInterest {
    var interest: RawInterest = []
    if !rawData.isEmpty { interest.insert(.packets) }
    if !rawValues.isEmpty { interest.insert(.values) }
    return interest
  }
}
