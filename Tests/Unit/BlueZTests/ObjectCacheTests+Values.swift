import DBus
import Testing
import TestWorld

@testable import BlueZ

extension ObjectCacheTests {
  // MARK: Notified values

  @Test("ten thousand values arrive in order, without losing or merging any")
  func manyValues() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<Int>()
    characteristic.onValue = { value, _ in values.note(Int(value[0]) << 8 | Int(value[1])) }
    for number in 0..<10_000 {
      let value = number / 2
      daemon.change(
        SampleMachine.characteristic, SampleMachine.characteristicInterface,
        ["Value": .bytes([UInt8(value >> 8), UInt8(value & 0xff)])])
    }
    fixture.settle()
    #expect(values.entries == (0..<10_000).map { $0 / 2 })
    #expect(fixture.takeChanges() == [])
  }

  @Test("a value in a signal with other properties is delivered, as are the properties")
  func valueAmongOthers() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<[UInt8]>()
    characteristic.onValue = { value, _ in values.note(Array(value)) }
    daemon.change(
      SampleMachine.characteristic, SampleMachine.characteristicInterface,
      ["Notifying": true, "MTU": .uint16(64), "Value": .bytes([1, 2]), "WriteAcquired": false])
    fixture.settle()
    #expect(values.entries == [[1, 2]])
    #expect(characteristic.notifying)
    #expect(characteristic.mtu == 64)
  }

  @Test("an empty value is a value")
  func emptyValue() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<Int>()
    characteristic.onValue = { value, _ in values.note(value.count) }
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([])])
    fixture.settle()
    #expect(values.entries == [0])
  }

  @Test("a value of another type or interface is ignored")
  func noValue() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<Int>()
    characteristic.onValue = { value, _ in values.note(value.count) }
    for value: Value in ["text", .uint32(1), .array(of: "u", [.uint32(1)]), .variant(.bytes([1]))] {
      daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": value])
    }
    daemon.change(SampleMachine.characteristic, "org.bluez.GattDescriptor1", ["Value": .bytes([1])])
    daemon.change(SampleMachine.service, SampleMachine.characteristicInterface, ["Value": .bytes([1])])
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, [:], invalidated: ["Value"])
    fixture.settle()
    #expect(values.entries == [])
  }

  @Test("a handler may remove itself or add another one while it is called")
  func handlerChangesHandlers() throws {
    let characteristic = try addCharacteristic()
    let values = Recorder<String>()
    characteristic.onValue = { [unowned characteristic] value, _ in
      values.note("first \(value[0])")
      characteristic.onValue = { value, _ in values.note("second \(value[0])") }
    }
    for value: UInt8 in [1, 2] {
      daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([value])])
    }
    fixture.settle()
    characteristic.onValue = nil
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([3])])
    fixture.settle()
    #expect(values.entries == ["first 1", "second 2"])
  }

  @Test("values reach the handler of a characteristic's successor, and never a removed characteristic's")
  func goneCharacteristic() throws {
    let old = try addCharacteristic()
    let values = Recorder<String>()
    old.onValue = { value, _ in values.note("old \(value[0])") }
    daemon.remove(SampleMachine.characteristic, [SampleMachine.characteristicInterface])
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([1])])
    let new = try addCharacteristic()
    new.onValue = { value, _ in values.note("new \(value[0])") }
    // Releasing the old one must not remove the new one.
    old.onValue = nil
    daemon.change(SampleMachine.characteristic, SampleMachine.characteristicInterface, ["Value": .bytes([2])])
    fixture.settle()
    #expect(values.entries == ["new 2"])
  }
}
