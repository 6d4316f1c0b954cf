import JacquardWire
import Testing

@Suite("Every example, byte for byte")
struct ExamplesTests {
  @Test("the file contains all examples") func completeness() {
    #expect(Example.all.count == 55)
    #expect(Example.all.reduce(0) { $0 + $1.fragments.count } == 63)
  }

  @Test("a message is encoded to the packet, and the packet divided into its values", arguments: Example.all)
  func sending(_ example: Example) throws {
    let message = try #require(ExampleMessage.build(example.name))
    let packet = message.packet()
    #expect(packet == example.packet)
    #expect(try Fragmenter().fragments(of: packet) == example.fragments)
  }

  @Test("the values are joined to the packet, and the packet decoded to the message", arguments: Example.all)
  func receiving(_ example: Example) throws {
    let outcome = Reassembler().feed(all: example.fragments)
    #expect(outcome == .init(packets: [example.packet], faults: []))
    let message = try ExampleMessage(example.packet, channel: example.channel)
    #expect(message == ExampleMessage.build(example.name))
  }

  @Test("an LED pattern for the older snap tag is joined from values of 20 bytes")
  func snapTagValues() throws {
    let values = [hex("80 13 08 00 10 08 18 0b da 06 0a 08 10 10 78 30 01 38 01"), hex("41 40 00")]
    let packet = hex("08 00 10 08 18 0b da 06 0a 08 10 10 78 30 01 38 01 40 00")
    #expect(Reassembler().feed(all: values).packets == [packet])
    let request = try packet.withUnsafeBytes { try WireRequest(packet: $0) }
    #expect(request.id == 11)
  }
}
