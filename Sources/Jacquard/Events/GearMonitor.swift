import EventLoop

/// The gear that the tag is attached to, as the source of its links reports it.
public final class GearMonitor {
  /// Sends gear that can be used, or nil when none is attached or the link is lost.
  public let changes = Observers<Component?>()
  /// Sends each change of `mode`.
  public let modes = Observers<Mode>()
  /// The attached gear; the outer nil means that the tag has not reported its gear yet on this link.
  public private(set) var gear: Component??
  /// The mode of the attached gear; nil without gear.
  public private(set) var mode: Mode?
  /// The gear that was streaming touches last, even after the link or its source has ended.
  var streaming: Streaming?

  /// The mode of the gear.
  public struct Mode: Equatable, Sendable {
    public let touchMode: TouchMode
    /// The process that has set it; 0: none that still uses the tag, or it is not known.
    public let process: Int32
  }

  struct Streaming {
    let vendorID: UInt32
    let productID: UInt32
    /// The process that has set the mode, as in `Mode`.
    var process: Int32

    func isOf(vendorID: UInt32, productID: UInt32) -> Bool { self.vendorID == vendorID && self.productID == productID }
  }

  /// Gear is ready to be used, or there is none.
  func report(_ component: Component?, mode: Mode? = nil) {
    retire()
    gear = .some(component)
    let isChanged = note(mode)
    changes.send(component)
    if isChanged, let mode { modes.send(mode) }
  }

  func modeWasSet(_ mode: TouchMode, by process: Int32) {
    let mode = Mode(touchMode: mode, process: process)
    if note(mode) { modes.send(mode) }
  }

  /// The program that has set the mode has ended, or is known now.
  func setterIs(_ process: Int32) {
    if let mode { return modeWasSet(mode.touchMode, by: process) }
    streaming?.process = process
  }

  /// Returns whether it has changed.
  private func note(_ mode: Mode?) -> Bool {
    let isChanged = mode != self.mode
    self.mode = mode
    streaming = mode.flatMap { mode in
      mode.touchMode == .continuous
        ? (gear ?? nil).map {
          Streaming(
            vendorID: $0.info.vendor.rawValue, productID: $0.info.product.rawValue, process: mode.process)
        } : nil
    }
    return isChanged
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
