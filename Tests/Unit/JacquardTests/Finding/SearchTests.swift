import DBus
import EventLoop
import Glibc
import JacquardWire
import TestWorld
import Testing

@testable import BlueZ
@testable import Jacquard

@Suite("Search for a tag")
struct SearchTests {
  /// The processor time of this thread.
  private var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private func entry(_ path: String, _ interface: String, _ properties: PropertyMap) -> Value.Entry {
    Value.Entry(
      .objectPath(path),
      .dictionary(key: "s", value: "a{sv}", [Value.Entry(.string(interface), .properties(properties))]))
  }

  /// The cost of a hundred advertisements during a search among that many other devices.
  private func cost(ofAHundredIn crowd: Int) throws -> Duration {
    let time = VirtualClock()
    let loop = try EventLoop(clock: .virtual(time))
    let bluez = BlueZClient(loop: loop, address: try BusAddress(path: "/nowhere")) { _ in }
    let core = Core(
      loop: loop, log: Log(), bluez: bluez, adapterAddress: nil,
      knownTags: KnownTags("/nowhere", restoreID: nil, loop: loop, log: Log()), deadlines: Deadlines())
    let devices = (0..<crowd).map { number in
      let address = "C0:00:00:00:\(String(number / 256, radix: 16)):\(String(number % 256, radix: 16))"
      return entry(
        SampleMachine.adapter + "/dev_\(number)", SampleMachine.deviceInterface,
        ["Adapter": .objectPath(SampleMachine.adapter), "Address": .string(address)])
    }
    for object in [entry(SampleMachine.adapter, SampleMachine.adapterInterface, SampleMachine.adapterProperties)]
      + devices
    {
      bluez.cache.add(object.key.asObjectPath ?? "", object.value.asEntries ?? [])
    }
    let adapter = try #require(bluez.cache.adapters.first)
    let device = try #require(bluez.cache.devices.first)
    // The tag has been absent long enough for a periodic search: no discovery is running at this time.
    let search = Search(
      core, adapter, TagIdentifier(address: "C0:FF:EE:00:00:01"),
      awaySince: LoopInstant(nanoseconds: -3_600_000_000_000)
    )
    let outcome = Recorder<String>()
    loop.spawn {
      do {
        outcome.note("found \(try await search.device().address.text)")
      } catch {
        outcome.note("\(error)")
      }
    }
    time.advance(by: .zero)
    let start = processorTime
    for strength in 0..<100 { device.note(["RSSI": .int16(Int16(-strength))]) }
    let cost = processorTime - start
    #expect(outcome.entries == [])
    device.note(["Address": "C0:FF:EE:00:00:01", "UUIDs": .strings([GATT.service])])
    time.advance(by: .zero)
    #expect(outcome.entries == ["found C0:FF:EE:00:00:01"])
    search.end()
    loop.close()
    loop.drain()
    return cost
  }

  @Test("costs no more among many devices: each advertisement is checked separately")
  func crowd() throws {
    _ = try cost(ofAHundredIn: 10)
    let few = try cost(ofAHundredIn: 10)
    let many = try cost(ofAHundredIn: 1000)
    #expect(many < few * 10)
  }
}
