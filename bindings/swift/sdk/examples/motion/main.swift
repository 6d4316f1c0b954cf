// Prints 20 samples of the motion sensors of a tag: motion IDENTIFIER
import Foundation
import JacquardSDK

guard let identifier = CommandLine.arguments.dropFirst().first.flatMap({ UUID(uuidString: $0) }) else {
  print("usage: motion IDENTIFIER")
  exit(2)
}
let manager = JacquardManagerImplementation()
var subscriptions: [Cancellable] = []
var module: IMUModuleImplementation?

manager.connect(identifier).sink {
  print($0)
} receiveValue: { state in
  guard case .connected(let tag) = state, module == nil else { return }
  let motion = IMUModuleImplementation(connectedTag: tag)
  module = motion
  motion.startIMUStreaming(samplingRate: .low).prefix(20).sink { _ in
    motion.stopIMUStreaming().sink {
      print($0)
    } receiveValue: {
      exit(0)
    }.addTo(&subscriptions)
  } receiveValue: { sample in
    print(sample.timestamp, sample.acceleration.x, sample.acceleration.y, sample.acceleration.z)
  }.addTo(&subscriptions)
}.addTo(&subscriptions)

RunLoop.main.run()
