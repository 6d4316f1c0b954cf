import BlueZ
import EventLoop
import JacquardWire

/// The gear that the tag sits in. Each attachment starts in gesture mode and is asked who it is before it is announced.
public final class GearMonitor {
  public let changes = Observers<Component?>()
  /// Nil in itself: the tag has not said yet, in this link.
  public private(set) var gear: Component??

  private let loop: EventLoop
  private let log: Log
  private var tag: Tag?
  /// Counts attachments: what an earlier one still has under way comes to nothing.
  private var attachment: UInt64 = 0
  private var attached: Component?

  init(_ notifications: Notifications, loop: EventLoop, log: Log) {
    self.loop = loop
    self.log = log
    notifications.attachments.add { [weak self] in self?.take($0) }
  }

  func linkIsReady(_ tag: Tag) { self.tag = tag }

  /// Gear that was announced is out of reach; whether the tag still sits in it, only the next link will tell.
  func linkIsLost() {
    leave()
    tag = nil
    let announced = gear ?? nil
    gear = nil
    if announced != nil { changes.send(nil) }
  }

  private func leave() {
    attachment &+= 1
    attached?.detach()
    attached = nil
  }

  private func take(_ notification: WireAttachedNotification) {
    guard let tag else { return }
    leave()
    guard notification.attachState, notification.hasVendorID, notification.hasProductID, notification.hasComponentID
    else { return announce(nil) }
    let component = Component(
      ComponentInfo(
        id: notification.componentID, vendorID: notification.vendorID, productID: notification.productID), of: tag)
    attached = component
    let current = attachment
    loop.spawn { [weak self] in
      await self?.welcome(component)
      guard let self, attachment == current else { return }
      announce(component)
    }
  }

  /// Gear that refuses either is gear all the same: it is announced without what it did not tell.
  private func welcome(_ component: Component) async {
    do {
      try await component.startGestures()
    } catch {
      log(.warning, .link, "gear \(component.info.vendor) \(component.info.product) without gestures: \(error)")
    }
    do {
      _ = try await component.readInfo()
    } catch {
      log(.warning, .link, "gear \(component.info.vendor) \(component.info.product) without a version: \(error)")
    }
  }

  private func announce(_ new: Component?) {
    gear = .some(new)
    changes.send(new)
  }
}
