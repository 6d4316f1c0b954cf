import JacquardWire
import TestWorld
import Testing

/// A packet of examples.txt.
struct Example: CustomTestStringConvertible {
  var name: String
  var origin = ""
  var channel = ""
  var packet: [UInt8] = []
  var fragments: [[UInt8]] = []

  var testDescription: String { name }

  static let all: [Example] = {
    let text = (try? DataFile.bytes("examples.txt")) ?? []
    var examples: [Example] = []
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { continue }
      let value = words[1]
      switch words[0] {
      case "example": examples.append(Example(name: String(value)))
      case "origin": examples[examples.count - 1].origin = String(value)
      case "channel": examples[examples.count - 1].channel = String(value)
      case "packet": examples[examples.count - 1].packet = hex(value)
      case "fragment": examples[examples.count - 1].fragments.append(hex(value))
      default: break
      }
    }
    return examples
  }()
}

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
