import BlueZ
import EventLoop
import JacquardWire

/// Whether the links to a tag need a bond.
final class BondRequirement {
  /// The tag is bound to this machine, so BlueZ must have its bond.
  var isBound: Bool
  /// Set while the tag is being bound, and after.
  var bonding: Bonding?
  /// The address of the adapter with the bond. On another adapter a missing bond is not conclusive.
  private var adapter: String?

  init(isBound: Bool) { self.isBound = isBound }

  var isFulfilled: Bool { bonding?.isDone ?? isBound }

  func isExpected(on adapter: String) -> Bool { isFulfilled && (self.adapter.map { $0 == adapter } ?? true) }

  func exists(on adapter: String) { self.adapter = adapter }
}

/// The part of a first connection that binds the tag: it checks the code and creates a bond. If the tag is not stored
/// afterwards, the bond is removed.
final class Bonding {
  private let core: Core
  private let identifier: TagIdentifier
  private let code: TagCode
  let began: LoopInstant
  private var serialIsChecked = false
  /// A new bond of a tag that is not stored yet.
  private(set) var hasLooseBond = false
  /// The tag is stored.
  private(set) var isDone = false
  private var hasReplacedBond = false

  init(_ core: Core, _ identifier: TagIdentifier, _ code: TagCode) {
    self.core = core
    self.identifier = identifier
    self.code = code
    began = core.loop.now
  }

  /// Called before anything is sent to the tag. A device that BlueZ knows only from its storage has no advertising
  /// data.
  func checkAdvertisement(of device: Device) throws(JacquardError) {
    let serial = device.advertisedSerial
    guard !isDone, !serial.isEmpty else { return }
    try check(serial)
  }

  private func check(_ serial: String) throws(JacquardError) {
    guard code.matches(serial) else {
      throw JacquardError(.wrongCode, "The code does not match tag \(serial).")
    }
    serialIsChecked = true
  }

  func needsBond(_ device: Device) -> Bool { !isDone && !device.isBonded }

  /// Replaces a bond that the tag has lost, once: the user is about to create another one.
  func replacesBond() -> Bool {
    guard !isDone, !hasReplacedBond else { return false }
    hasReplacedBond = true
    return true
  }

  func bond(with device: Device) async throws(JacquardError) {
    hasLooseBond = true
    do throws(BlueZError) {
      try await pair(device)
    } catch {
      throw JacquardError(error, otherwise: error.kind == .pairingRefused ? .pairingRefused : .connectFailed)
    }
    // BlueZ signals it before it replies.
    guard device.isBonded else { throw .fleeting }
    core.log(.info, .link, of: identifier, "bonded")
  }

  /// A refusal also ends the link, possibly before `Pair` fails. If the loss cancels this function, it still waits for
  /// that reply.
  private func pair(_ device: Device) async throws(BlueZError) {
    let pairing = core.loop.spawn(returning: { [core] () throws(BlueZError) in
      try await core.pairingAgent.pair(device, deadline: core.deadlines.pairing)
    })
    let result = await withTaskCancellationHandler {
      await pairing.result
    } onCancel: { [loop = core.loop, delay = core.deadlines.connectReplyDelay] in
      loop.post { loop.schedule(after: delay) { pairing.cancel() } }
    }
    try result.get()
  }

  /// Called when the tag has reported its serial number over the bonded link.
  func finish(_ info: TagInfo, _ device: Device) async throws(JacquardError) {
    guard !isDone else { return }
    if !info.serial.isEmpty { try check(info.serial) }
    guard serialIsChecked else {
      throw JacquardError(.wrongCode, "The tag reported no serial number, so the code cannot be verified.")
    }
    do throws(BlueZError) {
      try await device.trust()
    } catch {
      // The bond is sufficient to keep the device.
      core.log(.warning, .link, of: identifier, "cannot mark it as trusted: \(error.message)")
    }
  }

  /// Called when the tag is stored.
  func keep() {
    isDone = true
    hasLooseBond = false
  }

  func takeBack() async {
    guard hasLooseBond else { return }
    hasLooseBond = false
    for (adapter, device) in core.bondedDevices(identifier) {
      do throws(BlueZError) {
        try await adapter.remove(device)
      } catch {
        core.log(.warning, .link, of: identifier, "cannot remove its bond: \(error)")
      }
    }
  }

  func takeBackWithoutWaiting() {
    guard hasLooseBond else { return }
    hasLooseBond = false
    for (adapter, device) in core.bondedDevices(identifier) { adapter.removeWithoutWaiting(device) }
  }
}

extension JacquardError {
  fileprivate static let fleeting = JacquardError(.pairingRefused, "The tag paired but did not store a bond.")
}

extension Core {
  func bondedDevices(_ identifier: TagIdentifier) -> [(Adapter, Device)] {
    devices(of: identifier).filter(\.hasBond).compactMap { device in
      cache.adapters.first { $0.path == device.adapterPath }.map { ($0, device) }
    }
  }
}

extension Device {
  var hasBond: Bool { isBonded || paired }
}
