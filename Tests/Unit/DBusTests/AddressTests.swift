import DBus
import Testing

@Suite("A bus address")
struct AddressTests {
  @Test("contains a path or abstract name of a Unix socket, and optionally the bus's ID")
  func valid() throws {
    let guid = "0123456789abcdef0123456789ABCDEF"
    let address = try BusAddress("unix:path=/run/my%20bus;unix:abstract=/tmp/x%2c,guid=\(guid)")
    #expect(address.entries.map(\.socket) == [.path("/run/my bus"), .abstract("/tmp/x,")])
    #expect(address.entries.map(\.guid) == [nil, guid])
    #expect(address.description == "unix:path=/run/my%20bus;unix:abstract=/tmp/x%2c,guid=\(guid)")
    #expect(try BusAddress(address.description) == address)
    #expect(try BusAddress(path: "/tmp/grüße").description == "unix:path=/tmp/gr%c3%bc%c3%9fe")
  }

  @Test(
    "is refused in any other form",
    arguments: [
      "", ";", "unix", "unix:", "unix:path", "unix:path=", "unix:path=/a,path=/b", "unix:path=/a,abstract=b",
      "unix:path=/a,guid=12", "unix:path=/a,guid=\(String(repeating: "g", count: 32))", "unix:path=/a b",
      "unix:path=/a%", "unix:path=/a%4", "unix:path=/a%+1", "unix:path=/a%zz", "unix:path=%00", "unix:path=/%ff",
      "unix:path=/\(String(repeating: "x", count: 99))", "unix:tmpdir=/tmp", "unix:runtime=yes", "unix:guid=",
      "unix:path=/a,,", "unix:path=/a,x=y", "tcp:host=localhost,port=1", "unixexec:path=/bin/true", "autolaunch:",
      "unix:path=/a;tcp:host=x", "launchd:env=X", "\0", "unix:path=/a\0b",
    ])
  func invalid(_ text: String) {
    #expect {
      _ = try BusAddress(text)
    } throws: {
      if case .invalidArgument = $0 as? BusError { true } else { false }
    }
  }
}
