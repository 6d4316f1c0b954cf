import EventLoop
import JacquardWire
import TestWorld

@testable import Jacquard

/// A command queue with virtual time; the test acts as the tag.
final class CommandQueueBench {
  let time = VirtualClock()
  let loop: EventLoop
  /// The requests that have reached the tag, in order.
  private(set) var written: [WireRequest] = []
  let warnings = Recorder<String>()
  let statistics = Statistics()
  private(set) var queue: CommandQueue
  /// Makes each write wait, or fail.
  var writing: () async throws -> Void = {}

  private static func unwired(_: [UInt8]) async throws {}

  init() throws {
    loop = try EventLoop(clock: .virtual(time))
    let log = Log()
    queue = CommandQueue(loop: loop, log: log, statistics: statistics, patience: .seconds(8), write: Self.unwired)
    _ = log.add(upTo: .debug) { [warnings] _, _, text in warnings.note(text) }
    queue = CommandQueue(loop: loop, log: log, statistics: statistics, patience: .seconds(8)) { [unowned self] packet in
      let request = try packet.withUnsafeBytes { try WireRequest(packet: $0) }
      written.append(request)
      try await writing()
    }
  }

  var ids: [UInt32] { written.map(\.id) }

  func settle() { time.advance(by: .zero) }

  /// Runs a request and records its result under `name`.
  @discardableResult
  func request(
    _ name: String, _ command: Command = .batteryStatus, deadline: Duration = .seconds(8),
    into outcome: Recorder<String>,
    written: @escaping () -> Void = {}
  ) -> Task<Void, Never> {
    let task = loop.spawn { [queue] in
      do {
        let response = try await queue.exchange(WireRequest(command), deadline: deadline, written: written)
        outcome.note("\(name): id \(response.id) status \(response.status)")
      } catch let error as JacquardError {
        outcome.note("\(name): \(error.code)")
      } catch {
        outcome.note("\(name): \(error)")
      }
    }
    settle()
    return task
  }

  func answer(_ id: UInt32, status: UInt32 = 0) {
    var response = WireResponse()
    response.id = id
    response.status = status
    receive(response.packet())
    settle()
  }

  func receive(_ packet: [UInt8]) { packet.withUnsafeBytes { queue.receive($0) } }
}
