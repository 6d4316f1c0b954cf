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
