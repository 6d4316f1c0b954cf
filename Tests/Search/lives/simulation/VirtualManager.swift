import CJacquard
import EventLoop
import func JacquardABI.makeManager

/// `jacquard_manager_new` with a loop that uses virtual time.
func makeVirtualManager(
  _ options: inout jacquard_manager_options, _ clock: VirtualClock
) -> (status: CInt, manager: OpaquePointer?, loop: EventLoop?) {
  var manager: OpaquePointer?
  var made: EventLoop?
  let status = makeManager(&options, &manager) { () throws(SystemError) in
    let loop = try EventLoop(clock: .virtual(clock))
    made = loop
    return loop
  }
  return (status, manager, made)
}
