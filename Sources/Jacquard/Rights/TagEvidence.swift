import BlueZ
import EventLoop
import JacquardWire

/// Whether a device is a tag. Identifiers are computed from addresses, so a caller can name any device of the machine.
enum TagEvidence {
  /// BlueZ lists the Jacquard service, which a tag advertises, or has listed it when this process connected the device,
  /// or the tag was bound here. It may lose its services for a while.
  case tag
  /// No device, or one whose services BlueZ has not learned yet, or one that advertises as a tag and was connected when
  /// its services were withdrawn: BlueZ lists what is left until it forgets the device. It is searched for, and nothing
  /// else is done with it.
  case unknown
  /// BlueZ lists the device's services, and the Jacquard service is not among them.
  case otherDevice

  init(_ device: Device, _ identifier: TagIdentifier, in core: Core) {
    if device.listsJacquardService || core.deviceIndex.isProven(identifier) || core.knownTags.isProven(identifier) {
      self = .tag
    } else {
      self = device.serviceUUIDs.isEmpty || !device.advertisedSerial.isEmpty ? .unknown : .otherDevice
    }
  }
}

extension Device {
  fileprivate var listsJacquardService: Bool { serviceUUIDs.contains(GATT.service) }
}

extension Core {
  /// The tag's identifier now: locks, the service and reservations use it, so that no tag has two links. Programs may
  /// have stored one from before BlueZ resolved the tag's private address.
  func current(_ identifier: TagIdentifier) -> TagIdentifier { deviceIndex.current(knownTags.current(identifier)) }

  /// The devices that are tags. Everything that connects, disconnects, pairs or removes a device by its identifier
  /// finds it here.
  ///
  /// - Parameter maybe: also devices that may be tags. They may only be read.
  func devices(of identifier: TagIdentifier, maybe: Bool = false) -> [Device] {
    deviceIndex.devices(of: present(identifier)).filter {
      switch TagEvidence($0, identifier, in: self) {
      case .tag: true
      case .unknown: maybe
      case .otherDevice: false
      }
    }
  }

  /// This process connects the device. Its services may be withdrawn during the link, before they are read.
  func tagIsUsed(_ device: Device, _ identifier: TagIdentifier) {
    if device.listsJacquardService { deviceIndex.serviceWasListed(for: identifier) }
  }

  /// The tag's identifier under which BlueZ has it; the given one if BlueZ does not have it.
  func present(_ identifier: TagIdentifier) -> TagIdentifier {
    let isPresent = { [deviceIndex] in !deviceIndex.devices(of: $0).isEmpty }
    if isPresent(identifier) { return identifier }
    return knownTags.others(of: identifier).first(where: isPresent) ?? identifier
  }

  /// Calls the handler with each new or changed device that BlueZ has under one of the tag's identifiers, and when a
  /// program may have recorded another identifier. Returns a function that ends this.
  func observeDevices(of identifier: TagIdentifier, _ handler: @escaping () -> Void) -> () -> Void {
    var observations: [TagIdentifier: Observers<Device>.Observation] = [:]
    func observe() {
      for each in [identifier] + knownTags.others(of: identifier) where observations[each] == nil {
        observations[each] = deviceIndex.observe(each) { _ in handler() }
      }
    }
    observe()
    let records = knownTags.observe {
      observe()
      handler()
    }
    return { [deviceIndex, knownTags] in
      knownTags.stopObserving(records)
      for (each, observation) in observations { deviceIndex.stopObserving(each, observation) }
    }
  }

  /// Throws `notFound` if the identifier is that of another device.
  func checkIsTag(_ identifier: TagIdentifier) throws(JacquardError) {
    guard deviceIndex.devices(of: present(identifier)).isEmpty || !devices(of: identifier, maybe: true).isEmpty else {
      throw JacquardError(
        .notFound, "The device with this identifier is not a Jacquard tag.",
        advice: "Use an identifier that a scan or the list of known tags has reported.")
    }
  }
}
