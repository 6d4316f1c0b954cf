// Records two seconds of motion on the tag, downloads the recording, and counts its samples: motion-record FILE
import Glibc
import JacquardTags

guard let path = CommandLine.arguments.dropFirst().first else { fatalError("usage: motion-record FILE") }
let manager = try Manager()
let connection = try manager.connect(try await manager.find(timeout: .seconds(30)))
let tag = try await connection.tag()

try await tag.prepareMotion()
try await tag.startRecording(Session("example"))
try await Task.sleep(for: .seconds(2))
try await tag.stopMotion()

if let session = try await tag.sessions().last {
  try await connection.download(session, to: path) { print("\($0.received) of \($0.total) bytes") }
  let reader = try MotionReader()
  let counts = try reader.read(contents(of: path)).map { part in
    if case .samples(let samples) = part { samples.count } else { 0 }
  }
  print("\(counts.reduce(0, +)) samples, \(try reader.end().end)")
  try await tag.erase(session)
}
try await tag.releaseMotion()
try await connection.disconnect()

/// The bytes of a file; Foundation is not needed for this.
func contents(of path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    bytes += buffer.prefix(count)
  }
  return bytes
}
