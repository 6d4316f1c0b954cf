import EventLoop
import Jacquard

/// The gear that is attached to the tag of one link. Set on the loop, read on any thread.
final class AttachedGear: Sendable {
  struct Gear: Sendable {
    let component: LoopBound<Component>
    let info: ComponentInfo
  }

  private let state = Locked<Gear?>(nil)

  /// Nil if there is none, if the tag has not reported it yet, or if the link has ended.
  var current: Gear? { state.withLock { $0 } }

  /// Call on the loop.
  func set(_ component: Component?, on loop: EventLoop) {
    let gear = component.map { Gear(component: LoopBound($0, to: loop), info: $0.info) }
    state.withLock { $0 = gear }
  }
}
