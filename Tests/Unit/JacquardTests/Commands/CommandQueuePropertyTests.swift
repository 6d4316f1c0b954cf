import EventLoop
import JacquardWire
import TestWorld
import Testing

@testable import Jacquard

/// Properties for any commands and any tag, checked by a model that shares no code with the queue.
@Suite("Command queue with random commands and a random tag")
struct CommandQueuePropertyTests {
  @Test(
    "each command completes once, in order, with its own response; the tag never gets two requests at once",
    arguments: 0..<20 as Range<UInt64>)
  func anything(_ block: UInt64) throws {
    for seed in block * 150..<(block + 1) * 150 {
      let play = try QueuePlay(seed: seed)
      play.run()
      #expect(play.mistakes == [], "seed \(seed)")
      guard play.mistakes == [] else { return }
    }
  }

  @Test("a run depends only on its seed")
  func repeatable() throws {
    let plays = try (0..<2).map { _ in try QueuePlay(seed: 7) }
    for play in plays { play.run() }
    #expect(plays[0].story == plays[1].story && !plays[0].story.isEmpty)
    let other = try QueuePlay(seed: 8)
    other.run()
    #expect(other.story != plays[0].story)
  }
}

/// One run of a queue: commands at random times, with random limits, to a tag that responds randomly.
final class QueuePlay {
  private enum Kind: CaseIterable { case read, write, double, refused }

  private struct Given {
    let kind: Kind
    let limit: Duration?
    let at: Duration
    let cancelled: Duration?
  }

  /// A request that the tag has received. Each contains the number of its command.
  private struct Received {
    let id: UInt32
    let command: UInt32
    let at: LoopInstant
    var written: LoopInstant?
    var answered: LoopInstant?
  }

  private struct Ending {
    let command: Int
    let result: Result<WireResponse?, JacquardError>
    let at: LoopInstant
  }

  private static let responseLimit: Duration = .seconds(8)

  private(set) var mistakes: [String] = []
  private(set) var story: [String] = []
  private var random: SeededRandom
  private let time = VirtualClock()
  private let loop: EventLoop
  private let life = LinkLife()
  private var queue: CommandQueue!
  private let commands: [Given]
  private let closing: Duration?
  private var closed: LoopInstant?
  private var received: [Received] = []
  private var garbage: [LoopInstant] = []
  private var failedWrites: Set<UInt32> = []
  private var isWriting = false
  private var endings: [Ending] = []
  private var tasks: [Task<Void, Never>] = []

  init(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    loop = try EventLoop(clock: .virtual(time))
    commands = (0..<random.number(1...12)).map { _ in
      let at = random.duration(upTo: .seconds(40))
      return Given(
        kind: random.element(Kind.allCases),
        limit: random.element([
          nil, nil, .milliseconds(1), .milliseconds(500),
          .seconds(2), .milliseconds(7900), .seconds(8), .seconds(10), .seconds(30),
        ]),
        at: at, cancelled: random.chance(10) ? at + random.duration(upTo: .seconds(10)) : nil)
    }.sorted { $0.at < $1.at }
    closing = random.chance(20) ? random.duration(upTo: .seconds(60)) : nil
    self.random = random
    let writer = TestWriter()
    let requests = RequestSender(
      loop: loop, log: TagLog(Log(), WorldFixture.identifier), statistics: Statistics(),
      responseLimit: Self.responseLimit, life, writer, nil)
    queue = CommandQueue(requests, loop, life)
    writer.written = { [unowned self] request, _, completion in
      loop.spawn { [unowned self] in
        do throws(JacquardError) {
          try await take(request.packet())
          completion(.success(()))
        } catch {
          completion(.failure(error))
        }
      }
    }
  }

  func run() {
    for index in commands.indices { loop.schedule(after: commands[index].at) { [unowned self] in give(index) } }
    if let closing {
      loop.schedule(after: closing) { [unowned self] in
        closed = loop.now
        life.end(JacquardError(.connectionLost, ""))
      }
    }
    time.advance(by: .seconds(3600))
    check()
  }

  // MARK: The callers

  private func give(_ index: Int) {
    let command = commands[index]
    let task = loop.spawn { [unowned self] in
      let result: Result<WireResponse?, JacquardError>
      do throws(JacquardError) { result = .success(try await perform(command, UInt32(index))) } catch {
        result = .failure(error)
      }
      endings.append(Ending(command: index, result: result, at: loop.now))
      tell("ends \(index)")
    }
    if let cancelled = command.cancelled { loop.schedule(after: cancelled - command.at) { task.cancel() } }
  }

  private func perform(_ command: Given, _ number: UInt32) async throws(JacquardError) -> WireResponse? {
    let request = WireRequest(.batteryStatus, component: number)
    return try await queue.inTurn(limit: command.limit) { turn throws(JacquardError) in
      switch command.kind {
      case .refused: throw JacquardError(.unsupported, "")
      case .read: return try await turn.exchange(request, attempts: 3)
      case .write: return try await turn.exchange(request)
      case .double:
        _ = try await turn.exchange(request, attempts: 3)
        return try await turn.exchange(request)
      }
    }
  }

  // MARK: The tag

  private func take(_ packet: [UInt8]) async throws(JacquardError) {
    if isWriting { mistakes.append("two packets are written at once") }
    if closed != nil { mistakes.append("a request begins after the end of the link") }
    isWriting = true
    defer { isWriting = false }
    let time = random.chance(70) ? Duration.zero : random.duration(upTo: .seconds(1))
    let fails = random.chance(3)
    try? await loop.sleep(time)  // the duration of the write
    guard let request = packet.withUnsafeBytes({ try? WireRequest(packet: $0) }) else {
      return mistakes.append("a request cannot be decoded")
    }
    if fails {
      failedWrites.insert(request.componentID)
      throw JacquardError(.gatt, "")
    }
    receive(request)
    let index = received.count - 1
    try? await loop.sleep(time)  // the duration of its reply
    received[index].written = loop.now
  }

  private func receive(_ request: WireRequest) {
    tell("gets \(request.id) of \(request.componentID)")
    if !(1...254).contains(request.id) { mistakes.append("id \(request.id)") }
    if received.contains(where: { $0.id == request.id }) { mistakes.append("id \(request.id) again") }
    if let last = received.last, last.answered == nil, last.at.duration(to: loop.now) < Self.responseLimit {
      mistakes.append("request \(request.id) comes before the answer to \(last.id)")
    }
    received.append(Received(id: request.id, command: request.componentID, at: loop.now))
    react(received.count - 1)
  }

  private func react(_ index: Int) {
    let delays: [Duration] = [
      .zero, .milliseconds(10), .milliseconds(300), .seconds(1), .seconds(5), .milliseconds(7990), .seconds(8),
      .milliseconds(8010), .seconds(9), .seconds(12), .seconds(17), .seconds(30),
    ]
    func answer() { after(random.element(delays)) { [unowned self] in emit(index) } }
    switch random.number(0...99) {
    case ..<62: answer()
    case ..<72: break
    case ..<80:
      answer()
      answer()
    case ..<87:
      let id = random.element([0, 255, 300] + received.dropLast().map(\.id))
      if let owner = received.dropLast().firstIndex(where: { $0.id == id }) {
        after(random.element(delays)) { [unowned self] in emit(owner) }
      } else {
        after(random.element(delays)) { [unowned self] in deliver(id, .max) }
      }
      if random.chance(50) { answer() }
    default:
      after(random.element(delays)) { [unowned self] in
        garbage.append(loop.now)
        tell("says garbage")
        ([0xff, 0xff] as [UInt8]).withUnsafeBytes { queue.requests.receive($0) }
      }
      if random.chance(50) { answer() }
    }
  }

  private func after(_ delay: Duration, _ body: @escaping () -> Void) { loop.schedule(after: delay, body) }

  private func emit(_ index: Int) {
    if received[index].answered == nil { received[index].answered = loop.now }
    deliver(received[index].id, received[index].command)
  }

  private func deliver(_ id: UInt32, _ command: UInt32) {
    tell("answers \(id)")
    var response = WireResponse()
    response.id = id
    response.status = 0
    response.componentID = command
    response.packet().withUnsafeBytes { queue.requests.receive($0) }
  }

  private func tell(_ what: String) { story.append("\(loop.now) \(what)") }

  // MARK: Properties

  private func check() {
    let counts = Dictionary(grouping: endings, by: \.command).mapValues(\.count)
    for index in commands.indices where counts[index] != 1 {
      mistakes.append("command \(index) ended \(counts[index] ?? 0) times")
    }
    let inOrder = endings.filter { !isCancellation($0) }.map(\.command)
    if inOrder != inOrder.sorted() { mistakes.append("commands ended in the order \(inOrder)") }
    if isWriting { mistakes.append("a write has no end") }
    for ending in endings { check(ending) }
  }

  private func isCancellation(_ ending: Ending) -> Bool {
    if case .failure(.cancelled) = ending.result { true } else { false }
  }

  private func check(_ ending: Ending) {
    let command = commands[ending.command]
    let requests = received.filter { $0.command == ending.command }
    // A response also shows that its request has been written.
    let written = requests.compactMap { [$0.written, $0.answered].compactMap { $0 }.min() }.min()
    func complain(_ what: String) { mistakes.append("command \(ending.command) (\(command)): \(what)") }
    switch ending.result {
    case .success(let response):
      if response?.componentID != UInt32(ending.command) { complain("has the answer of another") }
      if command.kind == .refused { complain("cannot succeed") }
    case .failure(.cancelled):
      if command.cancelled.map({ ending.at < LoopInstant(nanoseconds: 0).advanced(by: $0) }) ?? true {
        complain("was not cancelled")
      }
    case .failure(let error):
      switch error.code {
      case .unsupported: if command.kind != .refused || !requests.isEmpty { complain("was refused") }
      case .gatt: if !failedWrites.contains(UInt32(ending.command)) { complain("was written well") }
      case .malformedResponse: if !garbage.contains(ending.at) { complain("had no garbage") }
      case .connectionLost, .staleTag: if closed == nil || ending.at < closed! { complain("lost no link") }
      case .timeout: checkTimeout(ending, requests, written, complain)
      default: complain("ended with \(error.code)")
      }
    }
    if closed != nil, ending.at > closed!, command.at < closing! { complain("ended after the end of the link") }
    let most: [Kind: Int] = [.read: 3, .write: 1, .double: 4, .refused: 0]
    if requests.count > most[command.kind] ?? 0 { complain("was sent too often") }
  }

  /// Either the caller's time limit has passed, or the tag has not responded to any attempt.
  private func checkTimeout(
    _ ending: Ending, _ requests: [Received], _ written: LoopInstant?, _ complain: (String) -> Void
  ) {
    let command = commands[ending.command]
    guard let written else { return complain("timed out before it was written") }
    let isOwnLimit = command.limit.map { written.duration(to: ending.at) == $0 } ?? false
    let isResponseLimit = command.limit == nil && requests.last?.written?.duration(to: ending.at) == Self.responseLimit
    if !isOwnLimit, !isResponseLimit { complain("timed out at \(ending.at)") }
    let answers = requests.compactMap(\.answered).filter { $0 < ending.at }.count
    if answers > (command.kind == .double ? 3 : 0) { complain("timed out although the tag had answered") }
    if command.kind == .write, answers > 0 { complain("timed out although the tag had answered") }
  }
}

extension SeededRandom {
  fileprivate mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }
  fileprivate mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  fileprivate mutating func element<Element>(_ elements: [Element]) -> Element {
    elements[number(0...elements.count - 1)]
  }
  fileprivate mutating func duration(upTo most: Duration) -> Duration {
    .milliseconds(number(0...Int(most.components.seconds) * 1000))
  }
}
