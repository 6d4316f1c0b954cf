import JacquardWire

extension Target {
  /// A recording of motion, and samples as they are streamed.
  static let sessions = Target(name: "sessions") { input in
    for _ in IMUStreamValue(input) {}
    guard let file = try? SessionFile(input) else { return }
    let samples = file.actions.reduce(0) { $0 + $1.samples.count }
    require(samples <= input.count, "more samples than bytes")
  }
}
