// Records two seconds of motion on the tag, downloads the recording, and counts its samples: motion-record FILE
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
