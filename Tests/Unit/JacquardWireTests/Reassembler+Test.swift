import JacquardWire

extension Reassembler {
  /// The result of one value.
  struct Outcome: Equatable {
    var packets: [[UInt8]] = []
    var faults: [FragmentError] = []
  }

  func feed(_ value: [UInt8]) -> Outcome {
    var outcome = Outcome()
    value.withUnsafeBytes { bytes in
      feed(bytes, deliver: { outcome.packets.append(Array($0)) }, report: { outcome.faults.append($0) })
    }
    return outcome
  }

  func feed(all values: [[UInt8]]) -> Outcome {
    values.reduce(into: Outcome()) { outcome, value in
      let one = feed(value)
      outcome.packets += one.packets
      outcome.faults += one.faults
    }
  }
}
