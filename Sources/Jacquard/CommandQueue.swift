import BlueZ
import EventLoop
import JacquardWire

/// Requests to one tag during one life of its link: in order, one in flight, answers matched by id.
///
/// A request that has begun is seen through to its answer or deadline even when its caller has lost interest, so that a
/// tag never meets half a packet or two requests at once.
final class CommandQueue {
  private final class Entry {
    var request: WireRequest
    let deadline: Duration
    let written: () -> Void
    let answer = Completion<WireResponse>()

    init(_ request: WireRequest, _ deadline: Duration, _ written: @escaping () -> Void) {
      self.request = request
      self.deadline = deadline
      self.written = written
    }
  }

  private static let unlikelyError: UInt8 = 0x0e
  private static let closingTrail: Duration = .milliseconds(500)

  /// Sent once, with the reason.
  let closing = Observers<JacquardError>()

  private let loop: EventLoop
  private let log: Log
  private let statistics: Statistics
  private let write: ([UInt8]) async throws -> Void
  private var waiting: [Entry] = []
  private var inFlight: Entry?
  private var awaited: (id: UInt32, response: Completion<WireResponse>, arrived: WireResponse?)?
  private var lastID: UInt32 = 0
  private var closedBy: JacquardError?

  /// - Parameter write: sends one packet; returns when its last fragment has been accepted.
  init(loop: EventLoop, log: Log, statistics: Statistics, write: @escaping ([UInt8]) async throws -> Void) {
    self.loop = loop
    self.log = log
    self.statistics = statistics
    self.write = write
  }

  /// Returns the answer whatever its status; `id` is filled in here. Throws `JacquardError` or `CancellationError`.
  func exchange(
    _ request: WireRequest, deadline: Duration, written: @escaping () -> Void = {}
  ) async throws -> WireResponse {
    guard closedBy == nil else { throw JacquardError(.staleTag, JacquardError.Code.staleTag.text) }
    try Task.checkCancellation()
    let entry = Entry(request, deadline, written)
    waiting.append(entry)
    advance()
    defer { waiting.removeAll { $0 === entry } }
    return try await entry.answer.value()
  }

  /// Takes a packet from the response characteristic.
  func receive(_ packet: UnsafeRawBufferPointer) {
    guard let response = try? WireResponse(packet: packet) else {
      return drop("a response of \(packet.count) bytes that does not decode")
    }
    guard let awaited, awaited.id == response.id, awaited.response.succeed(response) else {
      return drop("a late or repeated answer to request \(response.id)")
    }
    self.awaited?.arrived = response
    statistics.countResponse()
  }

  private func drop(_ what: @autoclosure () -> String) {
    statistics.countDroppedResponse()
    log(.warning, .wire, "dropped \(what())")
  }

  var isClosed: Bool { closedBy != nil }

  /// Fails everything under way and to come.
  func close(_ error: JacquardError) {
    guard closedBy == nil else { return }
    closedBy = error
    let entries = waiting
    waiting = []
    for entry in entries { entry.answer.fail(error) }
    // An answer that came before the end of the link counts, even if nobody has looked at it yet.
    if let arrived = awaited?.arrived { inFlight?.answer.succeed(arrived) } else { inFlight?.answer.fail(error) }
    awaited?.response.fail(error)
    closing.send(error)
    closing.removeAll()
  }

  private func advance() {
    guard inFlight == nil, closedBy == nil, !waiting.isEmpty else { return }
    let entry = waiting.removeFirst()
    inFlight = entry
    loop.spawn { [self] in
      do {
        entry.answer.succeed(try await perform(entry))
      } catch {
        await awaitClosing(behind: error)
        entry.answer.fail(closedBy ?? error)
      }
      inFlight = nil
      advance()
    }
  }

  /// BlueZ fails a write that the end of the link cuts off, with an ATT error of its own making, before it says that the
  /// link has ended.
  private func awaitClosing(behind error: any Error) async {
    guard (error as? JacquardError)?.attCode == Self.unlikelyError, closedBy == nil else { return }
    _ = try? await loop.withDeadline(Self.closingTrail) { [self] in try await closing.until { self.closedBy } }
  }

  private func perform(_ entry: Entry) async throws -> WireResponse {
    // 1...254: the references' comments exclude 0, and they never send 255.
    lastID = lastID % 254 + 1
    entry.request.id = lastID
    let response = Completion<WireResponse>()
    awaited = (lastID, response, nil)
    defer { awaited = nil }
    try await write(try entry.request.packet())
    entry.written()
    do {
      return try await loop.withDeadline(entry.deadline) { try await response.value() }
    } catch is DeadlineExceeded {
      throw JacquardError(.timeout, "The tag did not answer request \(entry.request.id) in time.")
    }
  }
}
