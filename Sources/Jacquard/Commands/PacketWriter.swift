import BlueZ
import JacquardWire

/// Writes packets to one characteristic, fragment by fragment. Its owner writes one packet at a time, because BlueZ
/// accepts one write at a time and fragments of two packets must not mix. A packet that has been started is always
/// completed.
final class PacketWriter {
  private let characteristic: GattCharacteristic
  /// A characteristic of the same link that can notify: only the MTU of those is kept up to date.
  private let current: GattCharacteristic
  private let deadline: Duration
  private let transaction: Duration
  private let health: LinkHealth?
  /// The pause before the rest of a packet is sent again.
  private static let retryPause: Duration = .milliseconds(100)
  private var type: GattCharacteristic.WriteType
  private let life: LinkLife

  /// - Parameters:
  ///   - preferred: the type of write, if the characteristic supports both.
  ///   - life: when it ends, writing stops: the rest of the packet belongs to a link that has ended, and the next link
  ///     may already be up.
  init(
    _ characteristic: GattCharacteristic, preferred: GattCharacteristic.WriteType, mtuOf current: GattCharacteristic,
    deadline: Duration, transaction: Duration, _ life: LinkLife, _ health: LinkHealth? = nil
  ) {
    self.life = life
    self.health = health
    self.characteristic = characteristic
    self.current = current
    self.deadline = deadline
    self.transaction = transaction
    type =
      characteristic.flags.contains(preferred.flag)
      ? preferred : characteristic.flags.contains("write") ? .request : .command
  }

  var writesRequests: Bool { type == .request }

  /// Firmware before 1.43.0 refuses writes with response although the flag may be set.
  func fallBackToCommands() -> Bool {
    guard type == .request else { return false }
    type = .command
    return true
  }

  /// - Parameters:
  ///   - overdue: called if a fragment was not accepted in time. It may still be accepted.
  ///   - completion: called when the last fragment has been accepted, or one has failed.
  func write(
    _ packet: [UInt8], overdue: @escaping () -> Void,
    completion: @escaping (Result<Void, JacquardError>) -> Void
  ) {
    do throws(PacketTooLong) {
      write(try fragmenter.fragments(of: packet)[...], isBegun: false, overdue, completion)
    } catch {
      completion(.failure(JacquardError(.invalidArgument, sentence(error))))
    }
  }

  private func write(
    _ fragments: ArraySlice<[UInt8]>, isBegun: Bool, _ overdue: @escaping () -> Void,
    _ completion: @escaping (Result<Void, JacquardError>) -> Void
  ) {
    guard let fragment = fragments.first else { return completion(.success(())) }
    if let error = life.endedBy { return completion(.failure(error)) }
    var timer: ServiceTimer?
    func watchLink() {
      timer = characteristic.timer(after: transaction - deadline) { [self] in
        if health?.writeIsUnanswered() == false { watchLink() }
      }
    }
    let isLate = {
      watchLink()
      overdue()
    }
    characteristic.write(fragment, type, deadline: deadline, overdue: isLate) { [self] result in
      timer?.cancel()
      switch result {
      case .success: write(fragments.dropFirst(), isBegun: true, overdue, completion)
      // The tag would mistake the next packet for the rest of this one.
      case .failure(let error) where isBegun && error.kind == .exhausted:
        _ = characteristic.timer(after: Self.retryPause) { [self] in
          write(fragments, isBegun: true, overdue, completion)
        }
      case .failure(let error): completion(.failure(JacquardError(error, otherwise: .gatt)))
      }
    }
  }

  /// Writes the last packet of a link, which must fit in one fragment.
  func writeWithoutWaiting(_ packet: [UInt8]) {
    guard !life.hasEnded, let fragments = try? fragmenter.fragments(of: packet), fragments.count == 1 else { return }
    characteristic.writeWithoutWaiting(fragments[0], type)
  }

  /// The MTU is a property of each link. If unknown (BlueZ before 5.62), use 64, as the tag does.
  private var fragmenter: Fragmenter { current.mtu.map { Fragmenter(mtu: Int($0)) } ?? Fragmenter() }
}

extension PacketWriter: RequestWriter {
  func write(
    _ request: WireRequest, _ limits: RequestLimits, overdue: @escaping () -> Void,
    completion: @escaping (Result<Void, JacquardError>) -> Void
  ) {
    write(request.packet(), overdue: overdue, completion: completion)
  }

  /// Does nothing: the tag has the request, or a part of it.
  func abandon(_ id: UInt32) {}
}

extension JacquardError {
  /// bluetoothd has not replied to a write in time: it may hang, or the tag may not have acknowledged the write.
  static let unwritten = JacquardError(.timeout, "The packet was not confirmed in time.")
}

extension GattCharacteristic.WriteType {
  fileprivate var flag: String {
    switch self {
    case .request: "write"
    case .command: "write-without-response"
    }
  }
}
