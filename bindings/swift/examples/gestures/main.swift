// Prints the gestures of a tag, and shows each with its LED: gestures [COUNT]
import JacquardTags

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
let manager = try Manager()
let connection = try manager.connect(try await manager.find(timeout: .seconds(30)))
// Before the link is established, so that no gesture is missed. The sequence continues on later links.
let gestures = try connection.gestures()

// The connection's states, at the same time.
let states = Task {
  for try await state in try connection.states() {
    print(state.phase, state.reason.map { "(\($0))" } ?? "")
  }
}

for try await gesture in gestures.prefix(count) where !gesture.mayBeCopy {
  print("gesture \(gesture.type)")
  if let tag = try? await connection.tag() {
    try? await tag.playLED(.color(red: 0, green: 128, blue: 128, .singleBlink, duration: .milliseconds(500)))
  }
}
try await connection.disconnect()
try await states.value
