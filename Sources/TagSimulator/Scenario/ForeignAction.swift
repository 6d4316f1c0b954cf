/// The actions of another program on the host's machine.
public struct ForeignAction: Equatable, Sendable {
  public enum Operation: Equatable, Sendable {
    /// Nil for all three characteristics.
    case subscribe(Bool, TagCharacteristic?)
    case scan(rssi: Int16?)
    case stopScan
    case connect
    case disconnect
    case pair
    case remove
    case exit
  }

  /// The number of the program; there may be several.
  public var program: Int
  public var operation: Operation

  /// The action that undoes this one.
  var undone: ForeignAction? {
    switch operation {
    case .subscribe(let on, let kind): ForeignAction(program: program, operation: .subscribe(!on, kind))
    case .scan: ForeignAction(program: program, operation: .stopScan)
    case .connect: ForeignAction(program: program, operation: .disconnect)
    default: nil
    }
  }
}

extension ForeignAction {
  /// `foreign [N] ACTION`
  static func parse(_ words: inout ScenarioWords) throws -> ForeignAction {
    let program = words.peek()?.first?.isNumber == true ? try words.number("a program's number", in: 1...100) : 1
    return ForeignAction(program: program, operation: try operation(&words))
  }

  private static func operation(_ words: inout ScenarioWords) throws -> Operation {
    switch try words.next("what another program does") {
    case "subscribe": .subscribe(true, characteristic(&words))
    case "unsubscribe": .subscribe(false, characteristic(&words))
    case "scan":
      if words.take("stop") {
        .stopScan
      } else if words.take("rssi") {
        .scan(rssi: try words.number("a signal strength", in: -127...20))
      } else {
        .scan(rssi: nil)
      }
    case "connect": .connect
    case "disconnect": .disconnect
    case "pair": .pair
    case "remove": .remove
    case "exit": .exit
    case let other:
      throw words.fail(
        "‘\(other)’ is not an action of another program; known: subscribe, unsubscribe, scan, connect, disconnect, "
          + "pair, remove, exit")
    }
  }

  private static func characteristic(_ words: inout ScenarioWords) -> TagCharacteristic? {
    if words.take("response") { return .response }
    if words.take("notification") { return .notification }
    return words.take("raw") ? .rawData : nil
  }
}
