import EventLoop

/// The gear that the tag is attached to, as the source of its links reports it.
public final class GearMonitor {
  /// Sends gear that can be used, or nil when none is attached or the link is lost.
  public let changes = Observers<Component?>()
  /// The modes that any program sets.
  let modes = Observers<TouchMode>()
  /// The attached gear; the outer nil means that the tag has not reported its gear yet on this link.
  public private(set) var gear: Component??
  /// That of the attached gear.
  private(set) var mode: TouchMode?
  /// The gear that was streaming touches last, also when the link or its source has ended.
  var streaming: Streaming?

  struct Streaming: Equatable {
    let vendorID: UInt32
    let productID: UInt32
  }

  /// Gear is ready to be used, or there is none.
  func report(_ component: Component?, mode: TouchMode? = nil) {
    retire()
    gear = .some(component)
    noteMode(mode)
    changes.send(component)
  }

  func modeWasSet(_ mode: TouchMode) {
    noteMode(mode)
    modes.send(mode)
  }

  private func noteMode(_ mode: TouchMode?) {
    self.mode = mode
    streaming =
      mode == .continuous
      ? (gear ?? nil).map { Streaming(vendorID: $0.info.vendor.rawValue, productID: $0.info.product.rawValue) } : nil
  }

  /// Announced gear becomes unreachable; only the next link shows whether it is still attached.
  func linkIsLost() {
    let wasAttached = (gear ?? nil) != nil
    retire()
    gear = nil
    mode = nil
    if wasAttached { changes.send(nil) }
  }

  private func retire() { (gear ?? nil)?.detach() }
}
