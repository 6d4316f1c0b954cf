import DBus
import EventLoop
import Testing
import TestWorld

@testable import BlueZ
@testable import Jacquard

@Suite("Work that ends with the link")
struct WhileLinkedTests {
  private let time = VirtualClock()
  private let loop: EventLoop
  private let core: Core
  private let device: Device
  private let outcome = Recorder<String>()
  private let work = Completion<Void, JacquardError>()

  init() throws {
    loop = try EventLoop(clock: .virtual(time))
    let bluez = BlueZClient(loop: loop, address: try BusAddress(path: "/nowhere")) { _ in }
    let knownTags = KnownTags("/nowhere", restoreID: nil, loop: loop, log: Log())
    core = Core(
      loop: loop, log: Log(), bluez: bluez, adapterAddress: nil, knownTags: knownTags, deadlines: Deadlines())
    device = Device(path: "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", cache: bluez.cache)
    device.note(["Connected": true])
    loop.spawn { [core, device, work, outcome] in
      do throws(JacquardError) {
        try await core.whileLinked(device) { () throws(JacquardError) in try await work.value() }
        outcome.note("done")
      } catch {
        outcome.note("\(error.code)\(error.lossReason == nil ? "" : ", a loss")")
      }
    }
    settle()
  }

  private func settle() { time.advance(by: .zero) }

  @Test("returns its result")
  func done() {
    work.succeed(())
    settle()
    #expect(outcome.entries == ["done"])
  }

  @Test("throws its own error")
  func fails() {
    work.fail(JacquardError(.tagStatus, ""))
    settle()
    #expect(outcome.entries == ["tagStatus"])
  }

  @Test("is cancelled when the link is lost")
  func lost() {
    device.note(["Connected": false])
    settle()
    #expect(outcome.entries == ["connectionLost, a loss"])
  }

  @Test("is cancelled when the device is removed")
  func gone() {
    device.remove()
    device.changes.send(.removed(device))
    settle()
    #expect(outcome.entries.count == 1 && outcome.entries != ["done"])
  }

  @Test("fails if the link is lost at the same time, even if it returns immediately")
  func sameBreath() {
    work.succeed(())
    device.note(["Connected": false])
    device.note(["Connected": true])
    settle()
    #expect(outcome.entries == ["connectionLost, a loss"])
  }
}
