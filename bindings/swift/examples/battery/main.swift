// Finds a tag, connects to it, and reads its battery.
import JacquardTags

let manager = try Manager()
let found = try await manager.find(timeout: .seconds(30))
print(found.serial, found.rssi.map { "\($0) dBm" } ?? "")
let connection = try manager.connect(found)
let tag = try await connection.tag()  // another one after each reconnection
let battery = try await tag.battery()
print("battery \(battery.percent)%")
