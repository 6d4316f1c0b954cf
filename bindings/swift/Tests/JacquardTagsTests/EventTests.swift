import Glibc
import JacquardTags
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct EventTests {
  @Test func gesturesArriveInOrderWhileTheReaderIsBlocked() async throws {
    try await withGear { connection, tag, _ in
      let gestures = try connection.gestures()
      _ = try await tag.battery()  // the library's loop has run, and so has registered the sequence
      for number in 1...300 {
        tell("gesture \(number)")
        if number % 10 == 0 { _ = try await tag.battery() }
      }
      let types = try await gestures.first(300).map(\.type.rawValue)
      #expect(types == Array(1...300) && gestures.dropped == 0)
    }
  }

  @Test func eachGestureArrivesOnceAfterReconnections() async throws {
    try await withGear { connection, tag, _ in
      let gestures = try connection.gestures()
      let states = try connection.states()
      var tag = tag
      for round in 1...10 {
        tell("drop link")
        for try await case let next? in states.map(\.tag) where next != tag {
          tag = next
          break
        }
        for try await case _? in try connection.gear() { break }
        tell("gesture \(round)")
        _ = try await tag.battery()
      }
      tell("gesture 11")
      var types: [UInt32] = []
      for try await gesture in gestures where !gesture.mayBeCopy {
        if gesture.type.rawValue == 11 { break }
        types.append(gesture.type.rawValue)
      }
      #expect(types == Array(1...10) && gestures.dropped == 0)
    }
  }

  @Test func touchesKeepTheNewest() async throws {
    try await withGear { connection, tag, gear in
      try await gear.setTouchMode(.continuous)
      let touches = try connection.touches(buffering: .newest(3))
      _ = try await tag.battery()
      for number in 1...10 {
        tell("touch 7 \(number) 2 3 4 5 6 7 8 9 10 11 12")
        _ = try await tag.battery()
      }
      let found = try await touches.first(3)
      #expect(found.map(\.lines.0) == [8, 9, 10] && touches.dropped == 7)
      #expect(found[0].linesArray.suffix(2) == [11, 12] && found[0].proximity == 7 && found[0].arrivalNanoseconds > 0)
      try await gear.setTouchMode(.gesture)
    }
  }

  @Test func aFullBufferEndsTheSequenceWithAnError() async throws {
    try await withGear { connection, tag, _ in
      let gestures = try connection.gestures(buffering: .all(limit: 2))
      _ = try await tag.battery()
      for number in 1...3 { tell("gesture \(number)") }
      _ = try await tag.battery()
      var types: [UInt32] = []
      let error = await failure { for try await gesture in gestures { types.append(gesture.type.rawValue) } }
      #expect(types == [1, 2] && error?.code == .overflow && gestures.dropped == 1)
    }
  }

  @Test func twoReadersReceiveEachEvent() async throws {
    try await withGear { connection, tag, _ in
      let one = try connection.gestures()
      let other = try connection.gestures()
      _ = try await tag.battery()
      for number in 1...3 { tell("gesture \(number)") }
      let first = try await one.first(3).map(\.type)
      #expect(try await other.first(3).map(\.type) == first)
    }
  }

  @Test func aCancelledReaderEndsWithoutAnError() async throws {
    try await withTag { connection, _ in
      let gestures = try connection.gestures()
      let task = Task { await failure { for try await _ in gestures {} } }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      #expect(await task.value == nil)
    }
  }

  @Test func theModeOfTheGearIsReported() async throws {
    try await withGear { connection, _, gear in
      let modes = try connection.touchModes()
      try await gear.setTouchMode(.continuous)
      let reports = try await modes.first(2)
      #expect(reports.map(\.mode) == [.gesture, .continuous] && reports[0].process == nil)
      #expect(reports[1].process == getpid())
    }
  }

  @Test func detachedGearIsStale() async throws {
    try await withGear { connection, _, gear in
      #expect(try gear.info.product == "Trucker Jacket")
      let changes = try connection.gear()
      tell("gear detach")
      for try await change in changes where change == nil { break }
      #expect(await failure { try await gear.playHaptic(.halt) }?.code == .staleGear)
    }
  }

  @Test func subscribingAndCancellingOnFourThreadsDuringEvents() async throws {
    try await withGear { connection, tag, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<200 {
              let gestures = try connection.gestures()
              let reader = Task { for try await _ in gestures {} }
              await Task.yield()
              reader.cancel()
              _ = await reader.result
            }
          }
        }
        group.addTask { for number in 1...50 { tell("gesture \(number)") } }
        try await group.waitForAll()
      }
      #expect(try await tag.battery().percent == 80)
    }
  }
}
