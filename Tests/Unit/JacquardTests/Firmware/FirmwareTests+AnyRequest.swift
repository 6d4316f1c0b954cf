import DBus
import EventLoop
import Glibc
import JacquardWire
import Testing
import TestWorld

@testable import Jacquard
@testable import TagSimulator

extension FirmwareTests {
  @Test("cancelling during any request before execute installs nothing, and the next update continues")
  func cancelledAnywhere() throws {
    let connection = watch.connection
    let tag = fixture.tag
    try fixture.happen("latency 20ms")
    for number in 0..<80 {
      try fixture.outcome { try await connection.currentTag().prepareMotion() }.get()
      let image = try Self.image("1.\(97 + number).0", bytes: Self.short)
      let (requests, blocks, executions) = (
        tag.journal.kinds.count, tag.journal.blocks.count, tag.journal.kinds.filter { $0 == .dfuExecute }.count
      )
      let ended = Recorder<Result<[UpdateResult], any Error>>()
      let task = fixture.loop.spawn {
        do { ended.note(.success(try await connection.updateFirmware([image]))) } catch { ended.note(.failure(error)) }
      }
      fixture.run(until: { tag.journal.kinds.count >= requests + number || !ended.entries.isEmpty })
      let isExecuteSent = tag.journal.kinds.filter { $0 == .dfuExecute }.count > executions
      task.cancel()
      fixture.run(until: { !ended.entries.isEmpty })
      fixture.stepped.pass(.seconds(1))
      if isExecuteSent {
        #expect(number > 15)
        break
      }
      #expect(code(try #require(ended.entries.first)) == .closed, "\(number)")
      #expect(tag.journal.kinds.filter { $0 == .dfuExecute }.count == executions, "\(number)")
      #expect(tag.modules.isMotionEnabled, "\(number)")
      #expect(try update(image).get().map(\.outcome) == [.installed], "\(number)")
      #expect(tag.journal.blocks.count - blocks <= 7, "\(number)")
      #expect(tag.violations == [], "\(number)")
    }
  }

  @Test("a module that is loaded during any request of an update is refused, or unloaded and loaded again")
  func modulesMeanwhile() throws {
    let connection = watch.connection
    let tag = fixture.tag
    try fixture.happen("latency 20ms")
    let module = try fixture.outcome { try #require(try await connection.currentTag().modules().first) }.get()
    for number in 0..<20 {
      let image = try Self.image("1.\(97 + number).0", bytes: Self.short)
      let requests = tag.journal.kinds.count
      let ended = Recorder<[UpdateResult]?>()
      let loaded = Recorder<JacquardError.Code?>()
      fixture.loop.spawn { ended.note(try? await connection.updateFirmware([image])) }
      fixture.run(until: { tag.journal.kinds.count >= requests + number || !ended.entries.isEmpty })
      fixture.loop.spawn {
        do throws(JacquardError) {
          try await connection.currentTag().load(module)
          loaded.note(nil)
        } catch {
          loaded.note(error.code)
        }
      }
      fixture.run(until: { !ended.entries.isEmpty && !loaded.entries.isEmpty })
      fixture.stepped.pass(.seconds(1))
      #expect(ended.entries.first??.map(\.outcome) == [.installed], "\(number)")
      #expect(tag.violations == [], "\(number)")
      if loaded.entries == [nil] { #expect(tag.modules.isMotionEnabled, "\(number)") }
      try fixture.outcome {
        let tag = try await connection.currentTag()
        for module in try await tag.modules() where module.isEnabled { try await tag.unload(module) }
      }.get()
    }
  }

  @Test("gear is first even if the link is lost at the end of the checks") func orderOverLinks() throws {
    try fixture.happen("gear attach levis-trucker")
    try fixture.happen("on request battery once: disconnect")
    let order = Recorder<Int>()
    let results = try update(try Self.image(), try Self.gear()) {
      if $0.phase == .transferring, order.entries.last != $0.image { order.note($0.image) }
    }.get()
    #expect(results.map(\.outcome) == [.installed, .installed])
    #expect(order.entries == [1, 0])
  }

  @Test("the execute request is not repeated after \"busy\" on a link that is then lost", arguments: [true, false])
  func busyAndLost(_ isGear: Bool) throws {
    try fixture.happen("gear attach levis-trucker")
    let image = isGear ? try Self.gear() : try Self.image()
    for milliseconds in stride(from: 0, to: 60, by: 5) {
      try fixture.happen("on request dfu-execute once: status 10")
      let before = fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count
      let outcome = update(image) { [fixture] in
        guard $0.phase == .executing else { return }
        fixture.loop.schedule(after: .milliseconds(milliseconds)) { _ = try? fixture.world.control("drop link") }
      }
      let sent = fixture.tag.journal.kinds.filter { $0 == .dfuExecute }.count - before
      if sent == 0 || fixture.tag.journal.installed.isEmpty { #expect(code(outcome) != nil) }
      #expect(sent <= 1)
      try fixture.happen("heed")
      guard fixture.tag.journal.installed.isEmpty else { break }
    }
  }

  @Test("a module that the tag lists only after a moment is installed") func lateModule() throws {
    let results = try update(try Self.module()) { [fixture] in
      guard $0.done == $0.total, $0.total > 0 else { return }
      let new = fixture.tag.modules.modules
      fixture.tag.modules.modules = [.motion]
      fixture.loop.schedule(after: .seconds(1)) { fixture.tag.modules.modules = new }
    }.get()
    #expect(results.map(\.outcome) == [.installed])
  }
}
