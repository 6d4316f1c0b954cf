import BlueZ

/// A link that was up has ended.
struct LinkLoss: Error {
  let error: JacquardError
  let reason: DisconnectReason
}

extension LinkLoss {
  /// What was agreed on with the tag belongs to the services that have gone: better to begin anew.
  static let servicesChanged = LinkLoss(
    error: JacquardError(
      .deviceGone, "The tag's services have changed.", advice: JacquardError.Code.connectionLost.advice),
    reason: .local)

  /// Nil while the link is up.
  ///
  /// Before 5.83 BlueZ gives no reason, and `Powered=false` is not one: a bluetoothd that is asked to end signals it as
  /// well. `AdapterMonitor` finds out which it was, and the connection then adds it.
  init?(of device: Device, in core: Core) {
    guard device.isGone || !device.connected else { return nil }
    if device.isGone, let error = core.session.loss {
      self.init(error: error, reason: .serviceGone)
      return
    }
    let hasAdapter = core.mirror.adapters.contains { $0.path == device.adapterPath }
    let reason: DisconnectReason =
      if let told = device.disconnection {
        DisconnectReason(bluez: told)
      } else if hasAdapter {
        device.isGone ? .local : .unknown
      } else {
        .serviceGone
      }
    self.init(
      error: device.isGone
        ? JacquardError(.deviceGone, "The Bluetooth service removed the tag.")
        : JacquardError(.connectionLost, "The link to the tag was lost\(reason.explanation)."),
      reason: reason)
  }
}

extension Session {
  /// Why there is no bluetoothd to ask.
  fileprivate var loss: JacquardError? {
    switch availability {
    case .running: nil
    case .noBus(let error): JacquardError(.busUnavailable, sentence(error), advice: JacquardError.adviceWhileHealing)
    default:
      JacquardError(
        .bluezUnavailable, "The Bluetooth service stopped.", advice: JacquardError.adviceWhileHealing)
    }
  }
}
