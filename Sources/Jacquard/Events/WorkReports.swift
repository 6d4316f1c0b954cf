import EventLoop
import JacquardWire

/// The tag's reports about attached gear and about work that takes longer than a request.
public final class WorkReports {
  let attachments = Observers<WireAttachedNotification>()
  /// Sends each report that the tag has loaded a module or failed to, whichever program requested it.
  public let moduleLoads = Observers<WireLoadModuleNotification>()
  let sessions = Observers<WireDataCollectionTrialListNotification>()
  let collections = Observers<WireErrorNotification>()
  let firmware = Observers<WireDFUExecuteUpdateNotification>()

  func send(_ notification: WireNotification) {
    if notification.hasAttached { attachments.send(notification.attached) }
    if notification.hasLoadModuleNotif { moduleLoads.send(notification.loadModuleNotif) }
    if notification.hasTrialList { sessions.send(notification.trialList) }
    if notification.hasDfuExecuteUpdateNotif { firmware.send(notification.dfuExecuteUpdateNotif) }
    if notification.hasErrorNotification { collections.send(notification.errorNotification) }
  }

  /// Called when the connection has ended.
  func removeAllObservers() {
    attachments.removeAll()
    moduleLoads.removeAll()
    sessions.removeAll()
    collections.removeAll()
    firmware.removeAll()
  }
}
