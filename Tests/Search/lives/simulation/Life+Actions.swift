import CJacquard
import EventLoop
import Glibc

/// Actions and faults.
extension Life {
  private var mostPrograms: Int { plan.shares ? 4 : 3 }

  /// - Parameter inside: the program in whose callback it is performed; nil: outside callbacks.
  func perform(_ action: Action, by inside: Program?) {
    var dice = action.dice
    stage.note("action \(action.index) \(action.kind.rawValue)")
    let running = stage.programs.filter { !$0.isEnded }
    switch action.kind {
    case .program:
      guard running.count < mostPrograms else { return }
      let restoring = dice.chance(40) ? dice.pick(["one", "two"]) : nil
      let connecting = restoring != nil && dice.chance(50)
      let sharing = plan.shares ? (dice.chance(94) ? Sharing.on : .exclusive) : .off
      guard let program = begin(restoring: restoring, connecting: connecting, sharing) else { return }
      if connecting { program.watch(.restore, keeping: false) }
      for kind in [Promise.Kind.adapter, .connections, .log, .restore] where dice.chance(40) {
        if kind != .restore || program.hasRestoreID { program.watch(kind, keeping: dice.chance(50)) }
      }
    case .react:
      guard !running.isEmpty else { return }
      let kind = dice.pick(
        [
          .disconnect, .releaseConnection, .cancel, .release, .command, .command, .connect, .endProgram, .subscribe,
          .scan,
        ]
          as [Action.Kind])
      dice.pick(running).react(with: Action(index: action.index, time: action.time, kind: kind, dice: dice))
    case .endService: stage.service?.kill()
    case .hangService:
      let durations = [100, 1000, 2500, 6000, 15_000] + (plan.hasNoWatchdog ? [ServiceProcess.longest] : [])
      stage.service?.stall(for: .milliseconds(dice.pick(durations)))
    case .startService: stage.service?.appear()
    case .gesture, .touch, .stroke, .recording, .gear, .tag, .radio, .bluetoothd, .bus, .adapter, .disk, .foreign,
      .quirk:
      happen(action.kind, &dice)
    default:
      guard let program = inside ?? (running.isEmpty ? nil : dice.pick(running)), !program.isEnded else { return }
      perform(action.kind, program, &dice)
    }
  }

  /// How a program uses tags together with other programs.
  enum Sharing: String {
    case on, exclusive
    /// The program does not use the service.
    case off
  }

  /// A program that has just started.
  func begin(restoring: String?, connecting: Bool, _ sharing: Sharing) -> Program? {
    setenv("XDG_RUNTIME_DIR", disk.runtimeDirectory, 1)
    if plan.serviceAppears, sharing != .off {
      unsetenv("JACQUARD_SERVICE")
    } else {
      setenv("JACQUARD_SERVICE", sharing == .off ? "off" : stage.service?.path ?? "off", 1)
    }
    var options = jacquard_manager_options()
    options.struct_size = UInt32(MemoryLayout.size(ofValue: options))
    options.auto_connect = connecting ? 1 : 0
    options.exclusive = sharing == .exclusive ? 1 : 0
    let (status, manager, loop) = stage.bus.address.withCString { address in
      options.bus_address = address
      return disk.stateDirectory.withCString { folder in
        options.state_directory = folder
        return withOptional(restoring) {
          options.restore_id = $0
          return makeVirtualManager(&options, stage.time)
        }
      }
    }
    guard status == 0, let manager, let loop else {
      stage.fail("no manager: \(status)")
      return nil
    }
    let program = Program(nextNumber(), self, manager, loop, hasRestoreID: restoring != nil, sharing)
    stage.note("p\(program.number) begins \(restoring ?? "") \(plan.shares ? sharing.rawValue : "")")
    stage.programs.append(program)
    return program
  }

  private func perform(_ kind: Action.Kind, _ program: Program, _ dice: inout Dice) {
    let connection = program.connections.isEmpty ? nil : dice.pick(program.connections)
    let open = program.connections.filter { !$0.hasEnded }
    let used = open.isEmpty ? connection : dice.pick(open)
    let held = program.promises.filter { $0.handle != nil }
    switch kind {
    case .endProgram: program.end()
    case .connect:
      program.connect(
        to: dice.below(plan.tagCount), timeout: dice.pick([0, 0, 0, 500, 5000, .max]), waitForAdapter: dice.chance(70),
        owner: dice.chance(90) ? nil : dice.pick(["me", "you"]))
    case .bind:
      let tag = dice.below(plan.tagCount)
      let serial = stage.world.tags[tag].profile.serial
      program.bind(
        to: tag, code: dice.chance(85) ? serial : "XXXX", timeout: dice.pick([0, 0, 3000]),
        waitForAdapter: dice.chance(70), owner: dice.chance(70) ? nil : dice.pick(["me", "you"]))
    case .disconnect: if let used { program.disconnect(used) }
    case .releaseConnection:
      guard let connection else { return }
      if dice.chance(20) { program.reference(connection) } else { program.release(connection) }
    case .subscribe:
      if let used, dice.chance(85) {
        program.subscribe(dice.pick(Program.subscriptions), to: used, keeping: dice.chance(70))
      } else {
        let kind = dice.pick([.adapter, .connections, .log] as [Promise.Kind])
        program.watch(kind, keeping: dice.chance(50))
      }
    case .cancel:
      let cancellable = held.filter { $0.kind != .scan }
      if !cancellable.isEmpty { program.cancel(dice.pick(cancellable)) }
    case .release: if !held.isEmpty { program.release(dice.pick(held)) }
    case .scan:
      let keeping = dice.chance(80)
      program.scan(
        timeout: dice.pick(keeping ? [0, 0, 300, 5000] : [300, 5000]), everyReport: dice.chance(30),
        waitForAdapter: dice.chance(50), keeping: keeping)
    case .stopScan:
      let scans = held.filter { $0.kind == .scan }
      if !scans.isEmpty { program.stop(dice.pick(scans)) }
    case .command:
      guard let used else { return }
      for _ in 0..<dice.pick([1, 1, 2, 5]) { program.command(used, &dice) }
    case .touchMode: if let used { program.setTouchMode(used, &dice) }
    case .motion: if let used { program.useMotion(used, &dice) }
    case .firmware: if let used { program.updateFirmware(used, &dice) }
    case .known:
      let tag = dice.below(plan.tagCount)
      switch dice.below(4) {
      case 0: program.unbind(tag, keeping: dice.chance(60))
      case 1: program.updateKnown(tag, keeping: dice.chance(60))
      default: program.listKnown(keeping: dice.chance(60))
      }
    case .neighbour: program.reachForNeighbour(dice.below(plan.neighbours), isUnbinding: dice.chance(50))
    case .ask: program.ask(used)
    case .stall: program.stall(for: .milliseconds(dice.pick([5, 100, 1000, 6000, 15_000])))
    default: break
    }
  }
}
