import EventLoop
import JacquardWire

/// Sets newly attached gear to gesture mode and reads its information before it is reported. Gear that is still
/// attached after a lost link gets its previous mode again.
final class GearSetUp {
  private let gear: GearMonitor
  private let loop: EventLoop
  private let log: TagLog
  private let busyPauses: [Duration]
  private var tag: Tag?
  /// Counts attachments, so that pending work of an earlier one is discarded.
  private var attachment: UInt64 = 0
  private var attached: Component?
  private var isFirstOfLink = false

  init(_ gear: GearMonitor, _ notifications: Notifications, loop: EventLoop, log: TagLog, busyPauses: [Duration]) {
    self.gear = gear
    self.loop = loop
    self.log = log
    self.busyPauses = busyPauses
    notifications.workReports.attachments.add { [weak self] in self?.take($0) }
  }

  func linkIsReady(_ tag: Tag) {
    self.tag = tag
    isFirstOfLink = true
  }

  func linkIsLost() {
    discard()
    tag = nil
  }

  private func discard() {
    attachment &+= 1
    attached?.detach()
    attached = nil
  }

  private func take(_ notification: WireAttachedNotification) {
    guard let tag else { return }
    discard()
    if !isFirstOfLink { gear.streaming = nil }
    isFirstOfLink = false
    guard notification.attachState, notification.hasVendorID, notification.hasProductID, notification.hasComponentID
    else { return gear.report(nil) }
    let component = Component(
      ComponentInfo(
        id: notification.componentID, vendorID: notification.vendorID, productID: notification.productID), of: tag)
    attached = component
    let streamed = gear.streaming?.isOf(vendorID: notification.vendorID, productID: notification.productID) ?? false
    let (mode, current) = (streamed ? TouchMode.continuous : .gesture, attachment)
    loop.spawn { [weak self] in
      await self?.setUp(component, in: mode)
      guard let self, attachment == current else { return }
      let process = mode == .continuous ? gear.streaming?.process ?? 0 : 0
      gear.report(component, mode: .init(touchMode: mode, process: process))
    }
  }

  /// Gear that refuses one of the requests is still reported, without the missing information.
  private func setUp(_ component: Component, in mode: TouchMode) async {
    do throws(JacquardError) {
      try await begin(component, in: mode)
    } catch {
      complain(of: component, "not in \(mode) mode", error)
    }
    do throws(JacquardError) {
      _ = try await component.readInfo()
    } catch {
      complain(of: component, "without a version", error)
    }
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
}
