import CJacquard
import EventLoop
import Jacquard
import TagSimulator

/// One random life of the library: programs that use it, events that affect them, and conditions that must always hold.
///
/// The seed determines everything. Any action of a life can be omitted, to find the ones that cause a failure.
public final class Life {
  public struct Outcome: Sendable {
    public let seed: UInt64
    /// Nil if all conditions held.
    public internal(set) var failure: String?
    /// It is equal in all runs of the same life.
    public let hash: UInt64
    public let trace: [String]
    /// The number of drawn actions; fewer may have been performed.
    public let actions: Int
    public let turns: Int
    public let messages: Int
    public let links: Int
    /// The number of links that the service had.
    public let linksOfService: Int
    public let virtualSeconds: Int
  }

  /// Features that a life omits, to be the same as before they were added.
  public struct Restrictions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Programs share no tags.
    public static let alone = Self(rawValue: 1)
    /// Tags behave as usual where no document says what they do, and time stands still between two timers.
    public static let usual = Self(rawValue: 2)
    /// There are no devices but tags, a watchdog ends a service that stands still, and no service appears later.
    public static let earlier = Self(rawValue: 4)
  }

  let seed: UInt64
  let plan: Plan
  let stage: Stage
  let disk: Disk
  /// The identifiers that a scan reports, and those of the addresses that BlueZ resolves with a bond.
  let identifiers: [String]
  let resolved: [String]
  /// The registrations of all programs, in the order in which the programs were opened.
  var connections: [ConnectionUse] = []
  let gestures = GestureLedger()
  /// The samples that each tag has sent.
  let samples: [SentSamples]
  let recordings: Recordings
  private let trace: Trace
  private var promises: [Promise] = []
  private var numbers = 0

  /// - Parameters:
  ///   - chosen: the indices of the actions to perform; nil: all.
  ///   - folder: for the state file and the runtime directory; emptied first.
  public static func live(
    seed: UInt64, only chosen: Set<Int>? = nil, in folder: String, keepingTrace: Bool = false,
    _ restrictions: Restrictions = []
  ) throws -> Outcome {
    let before = Resources.now
    let life = try Life(seed, in: folder, keepingTrace: keepingTrace, restrictions)
    life.run(chosen)
    life.stage.end()
    let sockets = life.disk.sockets
    if !sockets.isEmpty { life.stage.fail("the runtime directory still has \(sockets.count) sockets") }
    life.disk.clear()
    if life.stage.failure == nil, case let after = Resources.now, after != before {
      life.stage.fail("it began with \(before) and ended with \(after)")
    }
    return life.outcome
  }

  /// Also checks memory: a life that leaves more memory in use after each repetition has a leak.
  public static func liveWatchingMemory(
    seed: UInt64, only chosen: Set<Int>? = nil, in folder: String, keepingTrace: Bool = false,
    _ restrictions: Restrictions = []
  ) throws -> Outcome {
    var before = Resources.memory
    var outcome = try live(seed: seed, only: chosen, in: folder, keepingTrace: keepingTrace, restrictions)
    var growth = Resources.memory - before
    // The first runs fill tables and caches.
    for _ in 0..<4 where outcome.failure == nil && growth > tolerance {
      before = Resources.memory
      _ = try live(seed: seed, only: chosen, in: folder, restrictions)
      growth = min(growth, Resources.memory - before)
    }
    if outcome.failure == nil, growth > tolerance { outcome.failure = "it leaves \(growth) bytes each time" }
    return outcome
  }

  /// The permitted growth in bytes.
  private static let tolerance = 256

  private init(_ seed: UInt64, in folder: String, keepingTrace: Bool, _ restrictions: Restrictions) throws {
    self.seed = seed
    plan = Plan(seed: seed, restrictions)
    trace = Trace(isKept: keepingTrace)
    stage = try Stage(plan, seed: seed, trace)
    recordings = Recordings(stage)
    disk = Disk(folder)
    disk.beginSession()
    if plan.shares { stage.service = ServiceProcess(stage, disk, plan) }
    if plan.addressesArePrivate { for tag in 1...plan.tagCount { stage.happen("tag \(tag) address private") } }
    identifiers = stage.world.tags.map { TagIdentifier(address: $0.advertisedAddress).text }
    resolved = stage.world.tags.map { TagIdentifier(address: $0.profile.address).text }
    samples = stage.world.tags.map { _ in SentSamples() }
    for (tag, samples) in zip(stage.world.tags, samples) {
      tag.overheard = { [gestures] fromHost, characteristic, value in
        guard !fromHost, characteristic == .notification else { return }
        gestures.valueWasSent()
        samples.valueWasSent(value)
      }
    }
  }

  private var outcome: Outcome {
    Outcome(
      seed: seed, failure: stage.failure, hash: trace.hash, trace: trace.text, actions: plan.actions.count,
      turns: stage.allTurns, messages: stage.messages, links: connections.reduce(0) { $0 + $1.links },
      linksOfService: connections.reduce(0) { $0 + $1.linksOfService },
      virtualSeconds: Int(stage.time.now.nanoseconds / 1_000_000_000))
  }

  func nextNumber() -> Int {
    numbers += 1
    return numbers
  }

  func keep(_ promise: Promise) { promises.append(promise) }

  // MARK: Running

  private func run(_ chosen: Set<Int>?) {
    for line in plan.circumstances + plan.tagBehaviour { stage.happen(line) }
    if plan.neighbours > 0 { stage.happen("neighbours \(plan.neighbours)") }
    if !plan.startsWithoutDaemon { stage.startDaemon() }
    let begin = stage.time.now
    for action in plan.actions where chosen?.contains(action.index) ?? true {
      stage.run(to: begin.advanced(by: action.time))
      gestures.check(stage)
      checkTouches()
      guard stage.failure == nil else { return }
      perform(action, by: nil)
    }
    stage.run(to: begin.advanced(by: plan.end))
    guard stage.failure == nil else { return }
    heal()
    checkThatEverythingIsUp()
    checkCosts()
    gestures.check(stage)
    checkTouches()
    checkThatNothingIsLeft()
    checkPromises()
  }

  /// The registrations whose completion programs still await.
  var pending: [Promise] {
    promises.filter { $0.mustComplete && !$0.isComplete && !$0.isEnded && !$0.wasRefused && !$0.program.isEnded }
  }

  private func checkTouches() {
    for promise in promises where !promise.isEnded { promise.touches?.check() }
  }

  private func checkPromises() {
    guard stage.failure == nil else { return }
    for program in stage.programs { program.end() }
    stage.run(for: .seconds(5))
    if let left = promises.first(where: { $0.destroyed != 1 && $0.references == 0 && !$0.wasRefused }) {
      stage.fail("\(left.kind.rawValue) #\(left.number) was destroyed \(left.destroyed) times")
    }
  }
}
