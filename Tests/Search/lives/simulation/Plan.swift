import EventLoop
import TagSimulator

/// One event of a life. It has separate random numbers, so omitting an action does not change the others, and a failing
/// life can be reduced.
struct Action {
  enum Kind: String {
    // Actions of callers.
    case program, endProgram, connect, bind, disconnect, releaseConnection, subscribe, cancel, release, scan, stopScan
    case command, touchMode, motion, firmware, known, ask, stall, react
    // The service that programs share tags through.
    case endService, hangService, startService
    // Requests for devices other than tags.
    case neighbour
    // Events outside the programs.
    case gesture, touch, stroke, recording, gear, tag, radio, bluetoothd, bus, adapter, disk, foreign, quirk
  }

  let index: Int
  let time: Duration
  let kind: Kind
  let dice: Dice
}

/// A life, drawn from a seed.
struct Plan {
  let tagCount: Int
  let startsWithoutDaemon: Bool
  let isFaultless: Bool
  let hasOtherPrograms: Bool
  /// Whether there is a service, so that programs share tags.
  let shares: Bool
  /// Whether a service that stands still is not killed by a watchdog.
  let hasNoWatchdog: Bool
  /// Whether programs begin without the service, which is started later.
  let serviceAppears: Bool
  /// The devices other than tags.
  let neighbours: Int
  /// Whether tags send private addresses. Without a bond these change every 15 minutes, which no program can follow.
  let addressesArePrivate: Bool
  /// Whether newer features are left out: see `Life.Restrictions.earlier`.
  let isEarlier: Bool
  /// Whether programs use the motion sensor, whose streams are most of the work of a life.
  let usesMotion: Bool
  /// Whether programs update the firmware of tags.
  let updatesFirmware: Bool
  /// The initial conditions, in the scenario language.
  let circumstances: [String]
  /// Whether services of the tags are withdrawn during links.
  let withdrawsServices: Bool
  /// Whether each read of the clock advances it by up to 50 µs.
  let timeMoves: Bool
  /// How the tags behave where no document says it, in the scenario language.
  let tagBehaviour: [String]
  let actions: [Action]
  /// The time at which faults stop.
  let end: Duration

  /// Percentages of the lives with a service.
  private static let withoutWatchdog = 25
  private static let withAppearance = 15
  /// Percentage of the lives with devices other than tags.
  private static let withRequests = 15

  private static let calls: [(Action.Kind, Int)] = [
    (.program, 6), (.endProgram, 3), (.connect, 14), (.bind, 3), (.disconnect, 4), (.releaseConnection, 3),
    (.subscribe, 12), (.cancel, 6), (.release, 6), (.scan, 5), (.stopScan, 2), (.command, 22), (.known, 3), (.ask, 4),
    (.stall, 2), (.react, 6),
  ]
  private static let motion: [(Action.Kind, Int)] = [(.motion, 120), (.recording, 12)]
  private static let firmware: [(Action.Kind, Int)] = [(.firmware, 50)]
  private static let sharing: [(Action.Kind, Int)] = [
    (.program, 8), (.connect, 10), (.endService, 3), (.hangService, 3), (.command, 10), (.gesture, 10),
  ]
  private static let events: [(Action.Kind, Int)] = [(.gesture, 16), (.touch, 8), (.gear, 5)]
  private static let faults: [(Action.Kind, Int)] = [
    (.tag, 8), (.radio, 8), (.bluetoothd, 5), (.bus, 2), (.adapter, 4), (.disk, 2), (.quirk, 6),
  ]

  init(seed: UInt64, _ restrictions: Life.Restrictions) {
    var dice = Dice(seed: seed, 0)
    // Separate random numbers: without sharing, a life is what it was before programs shared tags.
    var sharing = Dice(seed: seed, -2)
    shares = !restrictions.contains(.alone) && sharing.chance(60)
    // Separate random numbers, as for sharing.
    var others = Dice(seed: seed, -6)
    isEarlier = restrictions.contains(.earlier)
    hasNoWatchdog = shares && !isEarlier && others.chance(Self.withoutWatchdog)
    serviceAppears = shares && !isEarlier && others.chance(Self.withAppearance)
    var addresses = Dice(seed: seed, -7)
    addressesArePrivate = !isEarlier && !restrictions.contains(.usual) && addresses.chance(10)
    neighbours = isEarlier ? 0 : others.weighed([(2, 4), (10, 1)])
    let hasRequests = neighbours > 0 && others.chance(Self.withRequests)
    tagCount = dice.weighed([(1, 6), (2, 3), (3, 1)])
    startsWithoutDaemon = dice.chance(8)
    isFaultless = dice.chance(10)
    hasOtherPrograms = dice.chance(15)
    usesMotion = seed % 5 == 3
    updatesFirmware = seed % 10 == 4
    var circumstances: [String] = []
    // Firmware before 1.43.0 does not respond to writes.
    if dice.chance(10) { circumstances.append("firmware 1.42.0") }
    if dice.chance(10) { circumstances.append("bond required") }
    if dice.chance(10) { circumstances.append("quirk silent-connected off") }
    if dice.chance(10) { circumstances.append("latency 30ms") }
    if dice.chance(3) { circumstances.append("protocol 3 3") }
    if dice.chance(10) { circumstances.append("mtu \(dice.pick([23, 24, 100, 517]))") }
    if dice.chance(10) { circumstances.append("bluez 5.\(dice.pick([72, 82, 83, 86]))") }
    // Separate random numbers, as for sharing.
    var behaviour = Dice(seed: seed, -3)
    timeMoves = !restrictions.contains(.usual)
    let areUsual = restrictions.contains(.usual) || behaviour.chance(25)
    tagBehaviour = areUsual ? [] : Self.randomBehaviour(tagCount, &behaviour)
    if !areUsual, behaviour.chance(20) { circumstances.append("at \(behaviour.below(60))s bond elsewhere") }
    var kinds = Self.calls + Self.events
    if usesMotion { kinds += Self.motion }
    if updatesFirmware { kinds += Self.firmware }
    if shares { kinds += Self.sharing }
    if !isFaultless { kinds += Self.faults }
    if hasOtherPrograms { kinds.append((.foreign, 8)) }
    if hasNoWatchdog { kinds.append((.hangService, 8)) }
    if hasRequests { kinds.append((.neighbour, 8)) }

    // The first part has no faults, until everything is connected. Actions follow, close together or far apart.
    var actions: [Action] = []
    var time: Duration = .zero
    func add(_ kind: Action.Kind, after pause: Duration) {
      time += pause
      let index = actions.count
      actions.append(Action(index: index, time: time, kind: kind, dice: Dice(seed: seed, index + 1)))
    }
    add(.program, after: .zero)
    add(.connect, after: .zero)
    if shares {
      for _ in 0..<sharing.number(1...2) { add(.program, after: .zero) }
      for _ in 0..<sharing.number(1...4) { add(.connect, after: .milliseconds(sharing.pick([0, 0, 3, 300]))) }
    }
    add(.gear, after: .milliseconds(10))
    for _ in 0..<dice.number(1...3) { add(.subscribe, after: .zero) }
    if usesMotion { for _ in 0..<2 { add(.recording, after: .zero) } }
    // A set-up takes half a second, and a transfer seconds.
    let pace =
      usesMotion || updatesFirmware ? dice.pick([1000, 5000]) : dice.weighed([(2, 2), (100, 4), (1000, 4), (5000, 2)])
    for _ in 0..<dice.number(10...60) {
      let kind = dice.weighed(kinds)
      // Actions often occur at the same instant, or before the previous one has completed.
      let pause = dice.chance(25) ? 0 : dice.below(dice.chance(50) ? pace : 20)
      add(kind, after: .milliseconds(pause) + .microseconds(dice.below(1000)))
    }
    time += .milliseconds(dice.below(5000))
    if seed % 7 == 3, !restrictions.contains(.usual) {
      var person = Dice(seed: seed, -5)
      actions += Self.strokes(seed, &person, from: actions.count, until: &time)
      actions.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    }
    if serviceAppears {
      let index = actions.count
      let appearance = time * Double(others.below(100)) / 100
      actions.append(Action(index: index, time: appearance, kind: .startService, dice: Dice(seed: seed, index + 1)))
      actions.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    }
    self.actions = actions
    end = time
    // Separate random numbers, as for sharing.
    var writes = Dice(seed: seed, -4)
    if !isFaultless, !restrictions.contains(.usual), writes.chance(30) {
      let moment = writes.below(Int(end.components.seconds) * 1000 + 1000)
      circumstances.append("at \(moment)ms quirk unanswered-write on for \(writes.pick(["2s", "10s"]))")
    }
    // Separate random numbers, as for sharing.
    var witnesses = Dice(seed: seed, -7)
    if !isFaultless, !isEarlier, witnesses.chance(25) {
      let fault = witnesses.pick(["connect drops \(witnesses.number(3...6)) times", "notify fails 2 times"])
      circumstances.append("at \(witnesses.below(60))s \(fault)")
      circumstances.append("tag 1 at \(witnesses.below(60))s drop link")
      withdrawsServices = witnesses.chance(30)
      if withdrawsServices { circumstances.append("at \(witnesses.below(60))s services removed") }
    } else {
      withdrawsServices = false
    }
    self.circumstances = circumstances
  }

  /// A person strokes the sleeves: one after the other, while programs change the mode.
  private static func strokes(
    _ seed: UInt64, _ dice: inout Dice, from first: Int, until end: inout Duration
  ) -> [Action] {
    var actions: [Action] = []
    func add(_ kind: Action.Kind, at time: Duration) {
      let index = first + actions.count
      actions.append(Action(index: index, time: time, kind: kind, dice: Dice(seed: seed, index + 1)))
    }
    for _ in 0..<dice.number(2...5) {
      // The time is usually after the set-up.
      var time = .seconds(1) + .milliseconds(dice.below(Int(end / .milliseconds(1)) + 1))
      for _ in 0..<2 { add(.touchMode, at: time) }
      for _ in 0..<dice.number(1...6) {
        time += .milliseconds(dice.number(100...2500))
        add(.stroke, at: time)
      }
      if dice.chance(50) { add(.touchMode, at: time + .milliseconds(dice.below(500))) }
      end = max(end, time + .seconds(1))
    }
    return actions
  }

  /// Each tag differs from the usual one in about a third of the assumptions.
  private static func randomBehaviour(_ tagCount: Int, _ dice: inout Dice) -> [String] {
    var lines: [String] = []
    for tag in 1...tagCount {
      for (action, answers) in TagBehaviour.alternatives where dice.chance(30) {
        lines.append("tag \(tag) \(action) \(dice.pick(Array(answers.dropFirst())))")
      }
    }
    return lines
  }
}
