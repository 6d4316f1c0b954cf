import BlueZ

/// The end of an established link.
struct LinkLoss {
  let error: JacquardError
  let reason: DisconnectReason

  /// The error that ends an attempt.
  var thrown: JacquardError {
    var error = error
    error.lossReason = reason
    return error
  }
}

extension LinkLoss {
  /// The negotiated protocol belongs to the removed services, so start again.
  static let servicesChanged = LinkLoss(
    error: JacquardError(
      .deviceGone, "The tag's services have changed.", advice: JacquardError.Code.connectionLost.advice),
    reason: .local)

  /// The link is up, but of no use.
  static let unacknowledged = LinkLoss(
    error: JacquardError(.connectionLost, "A write to the tag was not acknowledged in time."), reason: .local)

  /// Nil while the link is up.
  ///
  /// Before 5.83 BlueZ gives no reason, and `Powered=false` is not one: bluetoothd also signals it when it is stopped.
  /// `AdapterMonitor` finds out which of the two it was, and the connection then adds the reason.
  init?(of device: Device, in core: Core) {
    guard device.isGone || !device.connected else { return nil }
    if device.isGone, let error = core.bluez.loss {
      self.init(error: error, reason: .serviceGone)
      return
    }
    let hasAdapter = core.cache.adapters.contains { $0.path == device.adapterPath }
    let reason: DisconnectReason =
      if let reported = device.disconnection {
        DisconnectReason(bluez: reported)
      } else if hasAdapter {
        device.isGone ? .local : .unknown
      } else {
        .serviceGone
      }
    self.init(
      error: device.isGone
        ? .deviceGone
        : JacquardError(.connectionLost, "The link to the tag was lost\(reason.explanation)."),
      reason: reason)
  }
}

extension BlueZClient {
  /// Why bluetoothd is unavailable.
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
