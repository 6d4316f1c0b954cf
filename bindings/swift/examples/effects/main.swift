// Plays a pattern on the tag's LED, and on the gear once it is attached, which also vibrates.
import JacquardTags

let manager = try Manager()
let connection = try manager.connect(try await manager.find(timeout: .seconds(30)))
let rainbow = LEDPattern(frames: [
  LEDFrame(red: 255, green: 0, blue: 0, duration: .milliseconds(200)),
  LEDFrame(red: 0, green: 255, blue: 0, duration: .milliseconds(200)),
  LEDFrame(red: 0, green: 0, blue: 255, duration: .milliseconds(200)),
])
try await connection.tag().playLED(rainbow)
print("played on the tag")

for try await case let gear? in try connection.gear() {
  let info = try gear.info
  print("gear \(info.product)")
  if info.capabilities.contains(.led) { try await gear.playLED(rainbow) }
  if info.capabilities.contains(.haptic) { try await gear.playHaptic(.alert) }
  break
}
try await connection.disconnect()
