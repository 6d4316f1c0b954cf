// Connects to a tag by its identifier, reads its battery level, and renames it: reconnect IDENTIFIER [NAME]
import Foundation
import JacquardSDK

guard let identifier = CommandLine.arguments.dropFirst().first.flatMap({ UUID(uuidString: $0) }) else {
  print("usage: reconnect IDENTIFIER [NAME]")
  exit(2)
}
let manager = JacquardManagerImplementation()
var subscriptions: [Cancellable] = []
var isRenamed = CommandLine.arguments.count < 3

manager.connect(identifier).sink {
  print($0)
} receiveValue: { state in
  switch state {
  case .connected(let tag): use(tag)
  case .disconnected(let error): exit(error == nil ? 0 : 1)
  default: break
  }
}.addTo(&subscriptions)

func use(_ tag: ConnectedTag) {
  tag.enqueue(BatteryStatusCommand()).sink {
    print($0)
  } receiveValue: { battery in
    print("\(tag.name): \(battery.batteryLevel)%")
    if isRenamed {
      _ = manager.disconnect(tag)
    } else {
      isRenamed = true
      do { _ = try tag.setName(CommandLine.arguments[2]) } catch { print(error) }
    }
  }.addTo(&subscriptions)
}

RunLoop.main.run()
