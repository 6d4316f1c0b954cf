import BlueZ
import EventLoop
import JacquardWire

/// Writes packets to one characteristic, one after the other, because BlueZ accepts one write at a time and fragments
/// of two packets must not mix. A packet that has been started is always completed.
final class PacketWriter {
  private let characteristic: GattCharacteristic
  private let loop: EventLoop
  private let deadline: Duration
  private var type: GattCharacteristic.WriteType
  private var last: Task<Void, Never>?
  private var closedBy: JacquardError?

  /// - Parameter preferred: the type of write, if the characteristic supports both.
  init(
    _ characteristic: GattCharacteristic, preferred: GattCharacteristic.WriteType, loop: EventLoop, deadline: Duration
  ) {
    self.characteristic = characteristic
    self.loop = loop
    self.deadline = deadline
    type =
      characteristic.flags.contains(preferred.flag)
      ? preferred : characteristic.flags.contains("write") ? .request : .command
  }

  /// Returns when the last fragment has been accepted.
  func send(_ packet: [UInt8]) async throws { try await post(packet).value() }

  /// The completion may be ignored.
  ///
  /// - Parameter failed: runs if the packet was not written completely.
  @discardableResult
  func post(_ packet: [UInt8], failed: @escaping () -> Void = {}) -> Completion<Void> {
    let done = Completion<Void>()
    last = loop.spawn { [self, previous = last] in
      await previous?.value
      do {
        done.succeed(try await write(packet))
      } catch {
        failed()
        done.fail(error)
      }
    }
    return done
  }

  /// Writes nothing more: packets still in the queue belong to a link that has ended, and the next link may be up
  /// before their turn.
  func close(_ error: JacquardError) { closedBy = closedBy ?? error }

  /// Firmware before 1.43.0 refuses writes with response although the flag may be set.
  func fallBackToCommands() -> Bool {
    guard type == .request else { return false }
    type = .command
    return true
  }

  private func write(_ packet: [UInt8]) async throws {
    // The MTU is a property of each link. If unknown (BlueZ before 5.62), use 64, as the tag does.
    let fragmenter = characteristic.mtu.map { Fragmenter(mtu: Int($0)) } ?? Fragmenter()
    do {
      for fragment in try fragmenter.fragments(of: packet) {
        if let closedBy { throw closedBy }
        try await characteristic.write(fragment, type, deadline: deadline)
      }
    } catch let error as PacketTooLong {
      throw JacquardError(.invalidArgument, sentence(error))
    } catch {
      throw JacquardError(describing: error, otherwise: .gatt)
    }
  }
}

extension GattCharacteristic.WriteType {
  fileprivate var flag: String {
    switch self {
    case .request: "write"
    case .command: "write-without-response"
    }
  }
}
