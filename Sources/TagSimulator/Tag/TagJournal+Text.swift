extension TagJournal {
  /// The parts of a journal that can be queried separately.
  enum Page: String {
    case requests, lights, haptics, raw, firmware
  }

  /// One line; entries are separated by semicolons.
  func text(of page: Page) -> String {
    switch page {
    case .requests: kinds.map(\.rawValue).joined(separator: "; ")
    case .lights: lights.map(\.text).joined(separator: "; ")
    case .haptics: haptics.map(\.text).joined(separator: "; ")
    case .raw: rawPackets.map(hex).joined(separator: "; ")
    case .firmware: installed.last.map(hex) ?? ""
    }
  }
}

extension TagJournal.PlayedLight {
  fileprivate var text: String {
    let colours = frames.map { "\($0.red),\($0.green),\($0.blue):\($0.milliseconds)" }.joined(separator: " ")
    let flags = [(toggles, "toggle"), (isResumable, "resumable"), (halt, "halt"), (stopped, "stopped")]
    return "component \(component) pattern \(pattern) duration \(durationMilliseconds) intensity \(intensity)"
      + flags.filter(\.0).map { " " + $0.1 }.joined() + " frames \(colours)"
  }
}

extension TagJournal.PlayedHaptic {
  fileprivate var text: String {
    "pattern \(pattern) on \(onMilliseconds) off \(offMilliseconds) amplitude \(amplitude) repeats \(repeats)"
  }
}
