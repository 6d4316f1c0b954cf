import BlueZ
import EventLoop
import JacquardWire

/// The Jacquard service of a connected device: packets out on one characteristic, packets in on three.
///
/// A value's way in: `GattCharacteristic.onValue` → the characteristic's reassembler → whoever takes its packets.
final class Link {
  let device: Device
  let commands: CommandQueue
  var onNotification: (UnsafeRawBufferPointer) -> Void = { _ in }

  private let command: GattCharacteristic
  private let response: GattCharacteristic
  private let notification: GattCharacteristic
  private let rawData: GattCharacteristic
  private let writer: Writer

  init(_ device: Device, in mirror: Mirror, deadlines: Deadlines, log: Log) throws {
    func find(_ uuid: String, _ name: String) throws -> GattCharacteristic {
      guard let found = mirror.characteristic(uuid, service: GATT.service, of: device) else {
        throw JacquardError(.incompleteGatt, "The tag has no \(name) characteristic.")
      }
      return found
    }
    self.device = device
    command = try find(GATT.command, "command")
    response = try find(GATT.response, "response")
    notification = try find(GATT.notification, "notification")
    rawData = try find(GATT.rawData, "raw data")
    guard !command.flags.isDisjoint(with: ["write", "write-without-response"]) else {
      throw JacquardError(.incompleteGatt, "The command characteristic cannot be written.")
    }

    let writer = Writer(command, deadline: deadlines.writeFragment)
    self.writer = writer
    commands = CommandQueue(loop: mirror.loop, log: log) { try await writer.send($0) }

    receive(response, log) { [commands] in commands.receive($0) }
    receive(notification, log) { [weak self] in self?.onNotification($0) }
    receive(rawData, log) { _ in }
  }

  private func receive(
    _ characteristic: GattCharacteristic, _ log: Log, _ deliver: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    let reassembler = Reassembler()
    characteristic.onValue = { value in
      reassembler.feed(value, deliver: deliver) { fault in
        log(.warning, .wire, "dropped \(value.count) bytes on \(characteristic.uuid.prefix(8)): \(fault.rawValue)")
      }
    }
  }

  /// BlueZ may have exported others since.
  var isIntact: Bool { [command, response, notification, rawData].allSatisfy { !$0.isGone } }

  /// Handlers have been in place since `init`, so nothing that arrives before the reply is lost.
  func enableNotifications(deadline: Duration, eachDone: () -> Void) async throws {
    for characteristic in [response, notification, rawData] {
      try await characteristic.startNotify(deadline: deadline)
      eachDone()
    }
  }

  /// Firmware before 1.43.0 refuses writes with response although BlueZ may list the flag.
  func fallBackToWriteCommands() -> Bool { writer.fallBack() }

  func close(_ error: JacquardError) {
    for characteristic in [response, notification, rawData] { characteristic.onValue = nil }
    commands.close(error)
  }
}

/// How values are written: with response wherever the tag offers it, which also keeps them in order and paced.
private final class Writer {
  private let characteristic: GattCharacteristic
  private let deadline: Duration
  private var type: GattCharacteristic.WriteType

  init(_ characteristic: GattCharacteristic, deadline: Duration) {
    self.characteristic = characteristic
    self.deadline = deadline
    type = characteristic.flags.contains("write") ? .request : .command
  }

  func send(_ packet: [UInt8]) async throws {
    // The MTU is a property of each link. Without one (BlueZ before 5.62) the tag's own assumption of 64 holds.
    let fragmenter = characteristic.mtu.map { Fragmenter(mtu: Int($0)) } ?? Fragmenter()
    do {
      for fragment in try fragmenter.fragments(of: packet) {
        try await characteristic.write(fragment, type, deadline: deadline)
      }
    } catch let error as PacketTooLong {
      throw JacquardError(.invalidArgument, "\(error)")
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw JacquardError(describing: error, otherwise: .gatt)
    }
  }

  func fallBack() -> Bool {
    guard type == .request else { return false }
    type = .command
    return true
  }
}
