import EventLoop
import JacquardWire
import TestWorld

@testable import Jacquard

/// A command queue with virtual time; the test acts as the tag.
final class CommandQueueFixture {
  let time = VirtualClock()
  let loop: EventLoop
  /// The requests that have reached the tag, in order.
  private(set) var written: [WireRequest] = []
  let warnings = Recorder<String>()
  let statistics = Statistics()
  let life = LinkLife()
  let queue: CommandQueue
  /// Makes each write wait, or fail.
  var writing: () async throws -> Void = {}
  /// Reports that the last write is late.
  private(set) var overdue: () -> Void = {}

  init() throws {
    loop = try EventLoop(clock: .virtual(time))
    let log = Log()
    _ = log.add(upTo: .debug) { [warnings] in warnings.note($0.message) }
    let writer = TestWriter()
    let requests = RequestSender(
      loop: loop, log: TagLog(log, WorldFixture.identifier), statistics: statistics, responseLimit: .seconds(8), life,
      writer, nil)
    queue = CommandQueue(requests, loop, life)
    writer.written = { [unowned self] request, overdue, completion in
      self.overdue = overdue
      written.append(request)
      loop.spawn { [writing] in
        do {
          try await writing()
          completion(.success(()))
        } catch {
          completion(.failure(error as? JacquardError ?? .cancelled))
        }
      }
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
      do throws(JacquardError) {
        let response = try await queue.exchange(WireRequest(command), deadline: deadline, written: written)
        outcome.note("\(name): id \(response.id) status \(response.status)")
      } catch {
        outcome.note("\(name): \(error.isCancellation ? "cancelled" : "\(error.code)")")
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

  func receive(_ packet: [UInt8]) { packet.withUnsafeBytes { queue.requests.receive($0) } }
}

/// Passes requests to the test.
final class TestWriter: RequestWriter {
  var written: (WireRequest, _ overdue: @escaping () -> Void, @escaping (Result<Void, JacquardError>) -> Void) -> Void =
    {
      _, _, _ in
    }

  func write(
    _ request: WireRequest, _ limits: RequestLimits, overdue: @escaping () -> Void,
    completion: @escaping (Result<Void, JacquardError>) -> Void
  ) {
    written(request, overdue, completion)
  }

  func abandon(_ id: UInt32) {}
}
