import Testing

@testable import DBus

@Suite("Calls that differ in their bytes")
struct BytesCallTests {
  static let path = "/org/bluez/hci0/dev_00_11_22_33_44_55/service0010/char0011"
  static let options: [Value] = [.properties(["type": .string("request")])]

  static func written(to destination: String, _ bytes: [UInt8]) throws -> Message {
    try .methodCall(
      destination: destination, path: path, interface: "org.bluez.GattCharacteristic1", member: "WriteValue",
      [.bytes(bytes)] + options)
  }

  @Test("Each is sent as if it had been written anew")
  func asWritten() throws {
    var calls = BytesCall(
      path: Self.path, interface: "org.bluez.GattCharacteristic1", member: "WriteValue", others: Self.options)
    let long = Array(0...255 as ClosedRange<UInt8>)
    for destination in [":1.5", ":1.6"] {
      for bytes in [[1, 2, 3], [4, 5, 6], [7, 8, 9], [], [], [9], [8], long, long.reversed()] as [[UInt8]] {
        let call = try calls.message(to: destination, bytes)
        #expect(call.serial == 0)
        #expect(call.destination == destination)
        #expect(frameBytes(call) == frameBytes(try Self.written(to: destination, bytes)))
      }
    }
  }

  @Test("An earlier call keeps its bytes, although a later one is made of it")
  func independent() throws {
    var calls = BytesCall(path: Self.path, interface: "org.example.Test", member: "Write", others: [])
    let first = try calls.message(to: ":1.5", [1, 2])
    let second = try calls.message(to: ":1.5", [3, 4])
    #expect(first.body() == [.bytes([1, 2])])
    #expect(second.body() == [.bytes([3, 4])])
  }
}
