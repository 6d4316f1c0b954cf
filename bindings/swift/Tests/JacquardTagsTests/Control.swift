import Glibc
import Synchronization
import Testing

/// The socket that controls the software tag.
private let control = Mutex<Int32?>(nil)

/// Sends a line of a scenario, and returns the reply.
@discardableResult
func tell(_ line: String) -> String {
  control.withLock { control in
    let descriptor = control ?? connected()
    control = descriptor
    _ = "\(line)\n".withCString { write(descriptor, $0, strlen($0)) }
    var reply: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while reply.last != UInt8(ascii: "\n") {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      reply += buffer.prefix(count)
    }
    let text = String(decoding: reply.dropLast(), as: UTF8.self)
    #expect(text.hasPrefix("ok"), "\(line): \(text)")
    return text
  }
}

private func connected() -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { place in
    let path = getenv("JACQUARD_CONTROL").map { String(cString: $0) } ?? ""
    place.copyBytes(from: path.utf8.prefix(place.count - 1))
  }
  let result = withUnsafeBytes(of: &address) {
    connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
  }
  #expect(result == 0, "run the tests inside jacquard-sim: see README.md")
  return descriptor
}
