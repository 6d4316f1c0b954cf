// Plays a light on the tag and its gear, makes the gear vibrate, and prints touch samples: effects IDENTIFIER
import Foundation
import JacquardSDK

guard let identifier = CommandLine.arguments.dropFirst().first.flatMap({ UUID(uuidString: $0) }) else {
  print("usage: effects IDENTIFIER")
  exit(2)
}
let manager = JacquardManagerImplementation()
var subscriptions: [Cancellable] = []

manager.connect(identifier).mapError { $0 as Error }.compactMap { state in
  if case .connected(let tag) = state { tag } else { nil as ConnectedTag? }
}.flatMap { tag in
  tag.connectedGear.compactMap { $0 }.map { (tag, $0) }.mapNeverToError()
}.sink {
  print($0)
} receiveValue: { tag, gear in
  print("gear \(gear.product.name)")
  do { try play(tag, gear) } catch { print(error) }
}.addTo(&subscriptions)

func play(_ tag: ConnectedTag, _ gear: Component) throws {
  let colour = PlayLEDPatternCommand.Color(red: 0, green: 128, blue: 128)
  for component in [tag.tagComponent, gear] where component.capabilities.contains(.led) {
    _ = tag.enqueue(try PlayLEDPatternCommand(color: colour, durationMs: 500, component: component))
  }
  let frame = PlayHapticCommand.HapticFrame(
    onMs: 100, offMs: 50, maxAmplitudePercent: 60, repeatNMinusOne: 1, pattern: .hapticSymbolConstOn)
  _ = tag.enqueue(try PlayHapticCommand(frame: frame, component: gear))
  tag.registerSubscriptions { tags in
    tags.subscribe(ContinuousTouchNotificationSubscription()).prefix(1).sink { touch in
      print("touched \(touch.linesArray.filter { $0 > 0 }.count) lines")
      tag.setTouchMode(.gesture, for: gear).sink {
        print($0)
      } receiveValue: {
        exit(0)
      }.addTo(&subscriptions)
    }.addTo(&subscriptions)
  }
  tag.setTouchMode(.continuous, for: gear).sink {
    print($0)
  } receiveValue: {
    print("touch the gear")
  }.addTo(&subscriptions)
}

RunLoop.main.run()
