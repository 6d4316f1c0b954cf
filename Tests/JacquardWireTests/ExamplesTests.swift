import JacquardWire
import Testing

@Suite("Every example, byte for byte")
struct ExamplesTests {
  @Test("the file holds all of them") func completeness() {
    #expect(Example.all.count == 55)
    #expect(Example.all.reduce(0) { $0 + $1.fragments.count } == 63)
  }

  @Test("a message becomes the packet, the packet its values", arguments: Example.all)
  func sending(_ example: Example) throws {
    let message = try #require(ExampleMessage.build(example.name))
    let packet = message.packet()
    #expect(packet == example.packet)
    #expect(try Fragmenter().fragments(of: packet) == example.fragments)
  }

  @Test("the values become the packet, the packet the message", arguments: Example.all)
  func receiving(_ example: Example) throws {
    let outcome = Reassembler().feed(all: example.fragments)
    #expect(outcome == .init(packets: [example.packet], faults: []))
    let message = try ExampleMessage(example.packet, channel: example.channel)
    #expect(message == ExampleMessage.build(example.name))
  }

  @Test("a light of the older snap tag's time arrives from values of 20 bytes")
  func snapTagValues() throws {
    let values = [hex("80 13 08 00 10 08 18 0b da 06 0a 08 10 10 78 30 01 38 01"), hex("41 40 00")]
    let packet = hex("08 00 10 08 18 0b da 06 0a 08 10 10 78 30 01 38 01 40 00")
    #expect(Reassembler().feed(all: values).packets == [packet])
    let request = try packet.withUnsafeBytes { try WireRequest(packet: $0) }
    #expect(request.id == 11)
  }
}
