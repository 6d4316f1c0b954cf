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
  /// Called if bluetoothd responds but has not replied to a write within the limit of an ATT transaction: the link is
  /// useless, because the next write waits for this one. Returns false if bluetoothd does not respond after all.
  var onDeadLink: () -> Bool = { true }
  private var type: GattCharacteristic.WriteType
  private var closedBy: JacquardError?

  /// - Parameter preferred: the type of write, if the characteristic supports both.
  init(
    _ characteristic: GattCharacteristic, preferred: GattCharacteristic.WriteType, mtuOf current: GattCharacteristic,
    deadline: Duration, transaction: Duration
  ) {
    self.characteristic = characteristic
    self.current = current
    self.deadline = deadline
    self.transaction = transaction
    type =
      characteristic.flags.contains(preferred.flag)
      ? preferred : characteristic.flags.contains("write") ? .request : .command
  }

  /// Stops writing: the rest of the packet belongs to a link that has ended, and the next link may already be up.
  func close(_ error: JacquardError) { closedBy = closedBy ?? error }

  var writesRequests: Bool { type == .request }

  /// Firmware before 1.43.0 refuses writes with response although the flag may be set.
  func fallBackToCommands() -> Bool {
    guard type == .request else { return false }
    type = .command
    return true
  }

  /// Whether bluetoothd gets the packet at once.
  func isSingleValue(_ packet: [UInt8]) -> Bool { fragmenter.isSingleValue(packet.count) }

  var isPassedOn: Bool { characteristic.isPassedOn }

  /// - Parameters:
  ///   - overdue: called if a fragment was not accepted in time. It may still be.
  ///   - refusal: called before each fragment; an error prevents it.
  ///   - completion: called when the last fragment has been accepted, or one has failed.
  func write(
    _ packet: [UInt8], overdue: @escaping () -> Void, refusal: @escaping () -> JacquardError? = { nil },
    completion: @escaping (Result<Void, JacquardError>) -> Void
  ) {
    do throws(PacketTooLong) {
      write(try fragmenter.fragments(of: packet)[...], overdue, refusal, completion)
    } catch {
      completion(.failure(JacquardError(.invalidArgument, sentence(error))))
    }
  }

  private func write(
    _ fragments: ArraySlice<[UInt8]>, _ overdue: @escaping () -> Void, _ refusal: @escaping () -> JacquardError?,
    _ completion: @escaping (Result<Void, JacquardError>) -> Void
  ) {
    guard let fragment = fragments.first else { return completion(.success(())) }
    if let error = closedBy ?? refusal() { return completion(.failure(error)) }
    var timer: ServiceTimer?
    func watchLink() {
      timer = characteristic.timer(after: transaction - deadline) { [self] in
        if !onDeadLink() { watchLink() }
      }
    }
    let isLate = {
      watchLink()
      overdue()
    }
    characteristic.write(fragment, type, deadline: deadline, overdue: isLate) { [self] result in
      timer?.cancel()
      switch result {
      case .success: write(fragments.dropFirst(), overdue, refusal, completion)
      case .failure(let error): completion(.failure(JacquardError(error, otherwise: .gatt)))
      }
    }
  }

  /// For the last packet of a link, which must fit in one fragment.
  func writeWithoutWaiting(_ packet: [UInt8]) {
    guard closedBy == nil, let fragments = try? fragmenter.fragments(of: packet), fragments.count == 1 else { return }
    characteristic.writeWithoutWaiting(fragments[0], type)
  }

  /// The MTU is a property of each link. If unknown (BlueZ before 5.62), use 64, as the tag does.
  private var fragmenter: Fragmenter { current.mtu.map { Fragmenter(mtu: Int($0)) } ?? Fragmenter() }
}

extension JacquardError {
  /// bluetoothd has not replied to a write in time.
  static let unwritten = JacquardError(.timeout, "The Bluetooth service did not respond in time.")
}

extension GattCharacteristic.WriteType {
  fileprivate var flag: String {
    switch self {
    case .request: "write"
    case .command: "write-without-response"
    }
  }
}
