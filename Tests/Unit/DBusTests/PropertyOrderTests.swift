import DBus
import Testing

@Suite("Properties in a message")
struct PropertyOrderTests {
  @Test("are in the order of their names, in each process")
  func order() throws {
    let names = (0..<40).map { "Property\($0)" }
    let properties = PropertyMap(uniqueKeysWithValues: names.map { ($0, Value.string($0)) })
    let message = try Message.signal(path: "/a", interface: "a.b", member: "C", [.properties(properties)])
    var reader = message.reader
    let first = reader.enter()
    var entries = try #require(first)
    var read: [String] = []
    repeat {
      guard var entry = entries.enter(), let name = entry.cString else { break }
      read.append(String(cString: name))
    } while entries.next()
    #expect(read == names.sorted())
  }
}
