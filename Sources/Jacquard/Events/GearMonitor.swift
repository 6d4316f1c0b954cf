import BlueZ
import EventLoop
import JacquardWire
import Sharing

/// The gear that the tag is attached to. Newly attached gear is set to gesture mode and queried for its information
/// before it is announced. Gear that is still attached after a lost link gets its previous mode again.
public final class GearMonitor {
  public let changes = Observers<Component?>()
  /// The modes that any program sets.
  let modes = Observers<TouchMode>()
  /// The outer nil means that the tag has not reported its gear yet on this link.
  public private(set) var gear: Component??

  private let loop: EventLoop
  private let log: Log
  private let busyPauses: [Duration]
  private var tag: Tag?
  /// Counts attachments, so that pending work of an earlier one is discarded.
  private var attachment: UInt64 = 0
  private var attached: Component?
  /// The gear that was attached when the link was lost, until the next link reports the attached gear.
  private var streaming: (vendorID: UInt32, productID: UInt32)?
  private var isFirstOfLink = false
  /// The current attachment is an old one. The tag may report it once more, or may no longer be attached.
  private var isUncertain = false
  private var nextIsUncertain = false
  /// What the program with the link has read from the gear that is reported next.
  private var shared = SharedGear()

  init(_ notifications: Notifications, loop: EventLoop, log: Log, busyPauses: [Duration]) {
    self.loop = loop
    self.log = log
    self.busyPauses = busyPauses
    notifications.attachments.add { [weak self] in self?.take($0) }
  }

  func linkIsReady(_ tag: Tag) {
    self.tag = tag
    isFirstOfLink = true
  }

  /// The mode of the attached gear; nil if there is none.
  var mode: TouchMode? { attached == nil ? nil : streaming == nil ? .gesture : .continuous }

  /// Another program has set the mode.
  func modeWasSet(_ mode: TouchMode) { attached?.onTouchMode(mode) }

  /// The next attachment is an old one. If the gear does not accept its mode, it is not announced. If the tag reports the
  /// same one, it is not announced twice.
  func nextMayBeDetached() { nextIsUncertain = true }

  /// The next attachment is that of gear that another program has set up.
  func hostWillReport(_ gear: SharedGear) { shared = gear }

  /// Announced gear becomes unreachable; only the next link shows whether it is still attached.
  func linkIsLost() {
    leave()
    tag = nil
    let announced = gear ?? nil
    gear = nil
    if announced != nil { changes.send(nil) }
  }

  private func leave() {
    isUncertain = false
    attachment &+= 1
    attached?.detach()
    attached = nil
  }

  private func take(_ notification: WireAttachedNotification) {
    guard let tag else { return }
    guard !isUncertain || !isRepeated(notification) else { return isUncertain = false }
    leave()
    let mayStream = isFirstOfLink ? streaming : nil
    isUncertain = nextIsUncertain
    (isFirstOfLink, nextIsUncertain) = (false, false)
    streaming = nil
    guard notification.attachState, notification.hasVendorID, notification.hasProductID, notification.hasComponentID
    else { return announce(nil) }
    let component = Component(
      ComponentInfo(
        id: notification.componentID, vendorID: notification.vendorID, productID: notification.productID), of: tag)
    attached = component
    component.onTouchMode = { [weak self] mode in
      self?.streaming = mode == .continuous ? (notification.vendorID, notification.productID) : nil
      self?.modes.send(mode)
    }
    guard tag.link.isOwn else {
      component.take(shared)
      if let mode = TouchMode(rawValue: shared.touchMode) { component.onTouchMode(mode) }
      return announce(component)
    }
    let isSame = mayStream.map { $0 == (notification.vendorID, notification.productID) } ?? false
    // Kept until the mode is set, because the link may be lost in the meantime.
    if isSame { streaming = mayStream }
    let current = attachment
    loop.spawn { [weak self] in
      let isAttached = await self?.welcome(component, in: isSame ? .continuous : .gesture) ?? false
      guard let self, attachment == current else { return }
      if isAttached || !isUncertain { announce(component) } else { leave() }
    }
  }

  /// Each attachment has another ID.
  private func isRepeated(_ notification: WireAttachedNotification) -> Bool {
    notification.attachState && notification.componentID == attached?.info.id
  }

  /// Gear that refuses one of the requests is still announced, without the missing information. Returns whether it has
  /// accepted the mode.
  private func welcome(_ component: Component, in mode: TouchMode) async -> Bool {
    var isInMode = false
    do throws(JacquardError) {
      try await begin(component, in: mode)
      component.onTouchMode(mode)
      isInMode = true
    } catch {
      complain(of: component, "not in \(mode) mode", error)
    }
    do throws(JacquardError) {
      _ = try await component.readInfo()
    } catch {
      complain(of: component, "without a version", error)
    }
    return isInMode
  }

  private func begin(_ component: Component, in mode: TouchMode) async throws(JacquardError) {
    for pause in busyPauses {
      do throws(JacquardError) {
        return try await component.begin(in: mode)
      } catch {
        guard error.tagStatus == TagStatus.busy.rawValue else { throw error }
        log(.debug, .link, "gear \(component.info.vendor) \(component.info.product) is busy")
        try? await loop.sleep(pause)
      }
    }
    try await component.begin(in: mode)
  }

  /// Does not log about gear that was detached, or lost with its link, in the meantime.
  private func complain(of component: Component, _ what: String, _ error: JacquardError) {
    let gone: [JacquardError.Code] = [.closed, .staleTag, .staleGear, .connectionLost, .deviceGone]
    guard !gone.contains(error.code) else { return }
    log(.warning, .link, "gear \(component.info.vendor) \(component.info.product) \(what): \(error)")
  }

  private func announce(_ new: Component?) {
    gear = .some(new)
    changes.send(new)
  }
}
