// Scans, connects, and prints the gestures of each link: gestures [COUNT]
import Foundation
import JacquardSDK

let manager = JacquardManagerImplementation()
var subscriptions: [Cancellable] = []
var left = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? Int.max

manager.centralState.filter { $0 == .poweredOn }.prefix(1).sink { _ in
  do { try manager.startScanning() } catch { print(error) }
}.addTo(&subscriptions)

manager.advertisingTags.prefix(1).setFailureType(to: Error.self).flatMap { tag in
  manager.stopScanning()
  return manager.connect(tag)
}.sink {
  print($0)
} receiveValue: { state in
  switch state {
  case .connected(let tag):
    print("connected to \(tag.displayName)")
    listen(to: tag)
  case .disconnected: exit(0)
  default: break
  }
}.addTo(&subscriptions)

func listen(to tag: ConnectedTag) {
  tag.registerSubscriptions { tags in
    tags.subscribe(GestureNotificationSubscription()).sink { gesture in
      print(gesture.name)
      left -= 1
      if left == 0 { _ = manager.disconnect(tag) }
    }.addTo(&subscriptions)
  }
}

RunLoop.main.run()
