import DBus
import EventLoop
import Glibc
import Testing

@Suite("File descriptors")
struct DescriptorTests {
  @Test("are transferred over the bus and owned by the receiver")
  func pass() async throws {
    let fixture = try BusFixture()
    try await fixture.run {
      let service = try await EchoService(fixture.connect())
      let client = try await fixture.connect()
      var ends: [Int32] = [-1, -1]
      try #require(Glibc.pipe(&ends) == 0)
      let reading = SharedDescriptor(taking: ends[0])
      let writing = SharedDescriptor(taking: ends[1])
      let answer = try await client.echo("Echo", [["fd": .descriptor(writing)], .descriptor(writing)])
      writing.close()
      let returned = try #require(answer.last?.asDescriptor)
      #expect(fcntl(returned.rawValue, F_GETFD) & FD_CLOEXEC != 0)
      #expect(write(returned.rawValue, "x", 1) == 1)
      returned.close()
      #expect(answer.first?["fd"]?.asDescriptor?.rawValue ?? -1 >= 0)
      var byte: UInt8 = 0
      #expect(read(reading.rawValue, &byte, 1) == 1)
      client.close()
      service.connection.close()
    }
  }

  @Test("sent or received, read or ignored, do not leak")
  func leak() async throws {
    await #expect(processExitsWith: .success) {
      let fixture = try BusFixture()
      try await fixture.run {
        let service = try await EchoService(fixture.connect())
        let client = try await fixture.connect()
        let null = SharedDescriptor(taking: open("/dev/null", O_RDONLY | O_CLOEXEC))
        _ = try await client.echo("Echo", [.descriptor(null)])
        let before = descriptorCount()
        for _ in 0..<200 {
          _ = try await client.echo("Echo", [.descriptor(null)])
          await #expect(throws: BusError.self) { try await client.echo("Fail", [.descriptor(null)]) }
        }
        _ = try await client.echo()
        try #require(descriptorCount() < before + 10)
        client.close()
        service.connection.close()
      }
    }
  }
}
