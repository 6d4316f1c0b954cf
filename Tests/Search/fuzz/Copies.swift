@testable import BlueZ

extension Target {
  /// Signals of bluetoothd with any serial numbers, mixed with messages to other programs. Every copy and every
  /// possible copy must be a repetition.
  static let copies = Target(name: "copies") { input in
    var choices = Choices(input)
    var filter = CopyFilter()
    var (serial, elsewhere, dropped): (UInt32, UInt32, UInt64) = (choices.number(), 0, 0)
    var (last, isQuiet): ([UInt8]?, Bool) = (nil, true)
    filter.begin(isSubscribed: choices.byte() & 1 == 1, elsewhere: elsewhere)
    while !choices.isEmpty {
      switch choices.index(below: 8) {
      case 0:
        elsewhere &+= 1
        serial &+= 1
      case 1: filter.answered(byPeer: choices.byte() & 1 == 1)
      case 2: _ = filter.takeProbe()
      case 3:
        elsewhere = choices.number()
        filter.begin(isSubscribed: choices.byte() & 1 == 1, elsewhere: elsewhere)
      case 4: filter.joined()
      default:
        let value = choices.byte() < 200 ? last ?? [1] : Array(choices.bytes().prefix(600))
        serial = choices.byte() < 200 ? serial &+ 1 : choices.number()
        isQuiet = filter.isQuiet
        let canRepeat = choices.byte() < 200
        let verdict = value.withUnsafeBytes {
          filter.judge($0, serial: serial, elsewhere: elsewhere) { _ in canRepeat }
        }
        require(verdict == .value || value == last, "a copy differs from the value before")
        require(verdict == .value || !isQuiet, "there are copies although no other program is subscribed")
        if verdict == .copy { dropped += 1 }
        last = value
      }
      require(filter.sessions >= 1, "\(filter.sessions) sessions")
    }
    require(filter.takeCounts().dropped == dropped, "not all that was dropped is counted")
  }
}
