import CJacquard
import EventLoop
import Glibc

/// A connection from the caller's point of view.
final class ConnectionUse {
  let number: Int
  /// Index of the tag.
  let tag: Int
  unowned let program: Program
  let isBinding: Bool
  var handle: OpaquePointer?
  var references = 1
  /// Its last reference was released.
  var isReleased = false
  var isDisconnecting = false
  /// The library has its own reference until the manager ends.
  var isRestored = false

  private(set) var phase = JACQUARD_PHASE_PREPARING.rawValue
  private(set) var step: UInt32 = 0
  private(set) var attempt: UInt32 = 1
  private(set) var states = 0
  private var since: LoopInstant?
  private var preparedBefore: Duration = .zero
  private(set) var links = 0
  private(set) var linksOfService = 0
  /// The service has the link.
  private(set) var usesService = false
  private(set) var endedBy: Int32 = 0
  /// The reason of the last state is that another program has the tag.
  private(set) var isTaken = false
  /// It waits, and suspects that the tag has lost its bond.
  private(set) var doubtsBond = false
  /// It waits, and BlueZ has no bond with the tag, which is bound.
  private(set) var lacksBond = false
  /// The objects of the current link.
  private(set) var commands: CommandOrder?
  private(set) var tagHandle: OpaquePointer?
  /// The gear, with a reference of the caller.
  private(set) var gear: OpaquePointer?
  private var isFirstState = true

  init(_ number: Int, tag: Int, _ program: Program, isBinding: Bool) {
    self.number = number
    self.tag = tag
    self.program = program
    self.isBinding = isBinding
  }

  private var stage: Stage { program.stage }
  var hasEnded: Bool { phase == JACQUARD_PHASE_DISCONNECTED.rawValue }
  var isConnected: Bool { phase == JACQUARD_PHASE_CONNECTED.rawValue }
  /// The time that it was in the phase of preparing.
  var prepared: Duration { preparedBefore + (phase == JACQUARD_PHASE_PREPARING.rawValue ? elapsed : .zero) }
  /// The time since the last state.
  private var elapsed: Duration { since?.duration(to: stage.time.now) ?? .zero }

  static func describe(_ state: jacquard_connection_state) -> String {
    let phase = String(cString: jacquard_phase_name(state.phase))
    return "\(phase) \(state.step)/\(state.total_steps) attempt \(state.attempt) "
      + "\(Program.describe(state.reason)) \(state.disconnect_reason)"
      // A process ID differs in each run.
      + (state.service_process == 0 ? "" : " through the service")
  }

  func isNow(_ state: jacquard_connection_state) {
    let isRepeated = state.phase == phase && state.step == step
    func check(_ holds: Bool, _ what: String) {
      if !holds { stage.fail("connection \(number) of program \(program.number): \(what): \(Self.describe(state))") }
    }
    states += 1
    check(!hasEnded, "a state after the last")
    check(state.connection == handle, "another connection's handle")
    check(state.total_steps == 14 && state.step <= 14, "the steps")
    check((state.phase == JACQUARD_PHASE_CONNECTED.rawValue) == (state.tag != nil), "a tag without a link")
    check((state.phase == JACQUARD_PHASE_CONNECTED.rawValue) == (state.step == 14), "step 14 is connected")
    check(state.phase != JACQUARD_PHASE_CONNECTED.rawValue || state.reason == nil, "connected, with a reason")
    if state.attempt == attempt, !isConnected, !isFirstState, state.phase != JACQUARD_PHASE_DISCONNECTED.rawValue {
      check(state.step >= step, "a step back in the same attempt, from \(step)")
    }
    check(state.reason?.pointee.code != JACQUARD_ERROR_INTERNAL.rawValue, "an internal error")
    let endsForUse =
      state.phase == JACQUARD_PHASE_DISCONNECTED.rawValue
      && state.reason?.pointee.code == JACQUARD_ERROR_IN_USE.rawValue
    check(!endsForUse || linksOfService == 0 || program.life.plan.isEarlier, "it was served, and ends for a used tag")
    check(
      state.service_process == 0 || state.service_process == getpid(), "the service is \(state.service_process)")
    check(jacquard_connection_get_phase(state.connection) == CInt(state.phase), "another phase when asked")

    if state.phase == JACQUARD_PHASE_CONNECTED.rawValue, !(isRepeated && isConnected) {
      links += 1
      if state.service_process != 0 { linksOfService += 1 }
      commands = CommandOrder(stage)
      // Pending commands of the previous link are not sent on this one.
      forgetGear()
    }
    if state.tag == nil { cancelTouches() }
    tagHandle = state.tag
    usesService = state.service_process != 0
    (preparedBefore, since) = (prepared, stage.time.now)
    (phase, step, attempt) = (state.phase, state.step, state.attempt)
    isFirstState = false
    if state.reason?.pointee.code == JACQUARD_ERROR_IN_USE.rawValue { isTaken = true }
    if isConnected { isTaken = false }
    doubtsBond = !hasEnded && state.reason?.pointee.code == JACQUARD_ERROR_BOND_LOST.rawValue
    lacksBond = !hasEnded && state.reason?.pointee.code == JACQUARD_ERROR_NOT_BOUND.rawValue
    if hasEnded { endedBy = state.reason?.pointee.code ?? 0 }
  }

  func sits(in component: OpaquePointer?) {
    if component == nil { cancelTouches() }
    jacquard_component_unref(gear)
    gear = jacquard_component_ref(component)
  }

  private func cancelTouches() {
    for promise in program.promises where promise.connection === self { promise.touches?.cancel() }
  }

  func forgetGear() {
    jacquard_component_unref(gear)
    gear = nil
  }
}
