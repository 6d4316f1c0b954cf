import Foundation
import JacquardSDK
import JacquardTags
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct PairingTests {
  /// A user who is asked for codes.
  private final class User: @unchecked Sendable {
    private let lock = NSLock()
    private var codes: [String?]
    private var questions: [String] = []

    init(_ codes: [String?]) { self.codes = codes }

    var asked: [String] { lock.withLock { questions } }

    func code(_ tag: JacquardTag) async -> String? {
      lock.withLock {
        questions.append((tag as? AdvertisedTag)?.pairingSerialNumber ?? "")
        return codes.isEmpty ? nil : codes.removeFirst()
      }
    }
  }

  @Test func theCodeIsAskedOnce() async throws {
    let user = User([nil, "9999", "01ZK"])
    let world = World(pairingCode: { await user.code($0) })
    let identifier = try await world.find().identifier
    for count in 1...2 {
      let states = Recorder(world.manager.connect(identifier), world)
      await until { states.values.last?.isDisconnected == true }
      let error = try #require(states.values.last?.error?.library)
      #expect(
        !error.message.isEmpty && !error.advice.isEmpty && error.code == (count == 1 ? .invalidArgument : .wrongCode))
      #expect(user.asked.count == count && states.completion == nil)
    }
    let states = Recorder(world.manager.connect(identifier), world)
    let joined = Recorder(world.manager.connect(identifier), world)
    await until { states.values.last?.tag != nil && joined.values.last?.tag != nil }
    #expect(user.asked == ["01ZK", "01ZK", "01ZK"])
    tell("drop link")
    await until { states.values.compactMap(\.tag).count == 2 }
    await world.disconnect(identifier)
    _ = world.manager.connect(identifier)
    let bound = Recorder(world.manager.getConnectedTag(for: identifier), world)
    await until { bound.values.last.map { $0 != nil } == true }
    #expect(user.asked.count == 3)
    await world.disconnect(identifier)
    try await Manager().unbind(identifier.uuidString.lowercased())
  }

  @Test func disconnectingCancelsTheQuestion() async throws {
    let (asked, cancelled) = (PassthroughSubject<String, Never>(), PassthroughSubject<Bool, Never>())
    let world = World(pairingCode: { tag in
      asked.send(tag.displayName)
      try? await Task.sleep(for: .seconds(1000))
      cancelled.send(Task.isCancelled)
      return "01ZK"
    })
    let identifier = try await world.find().identifier
    let (questions, ended) = (Recorder(asked, world), Recorder(cancelled, world))
    let states = Recorder(world.manager.connect(identifier), world)
    await until { !states.values.isEmpty && questions.values == ["Jacquard-01ZK"] }
    await world.disconnect(identifier)
    await until { ended.values == [true] && states.values.last?.isDisconnected == true }
    #expect(states.values.last?.error == nil && states.values.allSatisfy { $0.tag == nil })
    #expect(try await Manager().knownTags().isEmpty)
  }
}

extension Error {
  /// The error of the library, with its advice.
  fileprivate var library: JacquardError? {
    if case .jacquardInitializationError(let error)? = self as? TagConnectionError {
      error as? JacquardError
    } else {
      nil
    }
  }
}
