import EventLoop
import JacquardWire

@testable import TagSimulator

/// A software tag with virtual time, and a host that writes given bytes.
final class SoftwareTagFixture {
  let time = VirtualClock()
  let loop: EventLoop
  let tag: SoftwareTag
  var heard: [(characteristic: TagCharacteristic, value: [UInt8])] = []
  var drops = 0

  init(_ change: (inout TagProfile) -> Void = { _ in }) throws {
    loop = try EventLoop(clock: .virtual(time))
    var profile = TagProfile.numbered(0)
    profile.name = "Jacquard-0000"
    change(&profile)
    tag = SoftwareTag(profile: profile, clock: SimulationClock(loop))
    tag.transmit = { [unowned self] in heard.append(($0, $1)) }
    tag.dropLink = { [unowned self] in
      drops += 1
      tag.linkDown()
    }
  }

  /// Connects and enables the three notifications.
  func connect(capacity: Int = 61) {
    tag.linkUp(capacity: capacity)
    for characteristic in TagCharacteristic.notifying { tag.setNotifying(true, on: characteristic) }
    settle()
  }

  /// Connects and sends hello, begin, device info and the configuration write.
  func setUp(capacity: Int = 61) {
    connect(capacity: capacity)
    for request in Example.setUp { command(request) }
    heard = []
  }

  func settle() { time.advance(by: .zero) }

  /// Writes one value to the command characteristic and runs everything that is due.
  func command(_ text: String, type: WriteType = .request) {
    write(text, to: .command, type: type)
  }

  @discardableResult
  func write(_ text: String, to characteristic: TagCharacteristic, type: WriteType = .request) -> AttributeError? {
    let result = tag.write(bytes(hex: text)!, to: characteristic, type: type)
    settle()
    return result
  }

  /// The values received on a characteristic since the last call, one per line.
  func values(_ characteristic: TagCharacteristic) -> [String] {
    defer { heard.removeAll { $0.characteristic == characteristic } }
    return heard.filter { $0.characteristic == characteristic }.map { hex($0.value) }
  }

  var breaches: [Violation.Kind] { tag.violations.map(\.kind) }
}

/// The packets received on a characteristic, reassembled without checks.
func packets(_ fixture: SoftwareTagFixture, _ characteristic: TagCharacteristic) -> [[UInt8]] {
  var packets: [[UInt8]] = []
  for value in fixture.values(characteristic).compactMap({ bytes(hex: $0) }) {
    if value[0] & 0x80 == 0, !packets.isEmpty {
      packets[packets.count - 1] += value.dropFirst()
    } else {
      packets.append(Array(value.dropFirst(value[1] < 0x80 ? 2 : 3)))
    }
  }
  return packets
}

func notifications(_ fixture: SoftwareTagFixture) throws -> [WireNotification] {
  try packets(fixture, .notification).map { try WireNotification(serializedBytes: $0) }
}

/// Values from the protocol's examples.
enum Example {
  static let hello = "c0 06 08 00 10 01 18 01"
  static let begin = "c0 0b 08 00 10 02 18 02 aa 06 02 08 02"
  static let deviceInfo = "c0 0d 08 00 10 04 18 03 20 00 ba 06 02 08 00"
  static let queueDepth14 = "c0 0d 08 00 10 0b 18 04 ea 44 04 12 02 50 0e"
  static let setUp = [hello, begin, deviceInfo, queueDepth14]
  static let battery = "c0 0d 08 00 10 17 18 05 ca 07 04 08 01 10 01"
  static let gestureMode = "c0 0f 08 08 10 07 18 06 20 65 da 38 04 08 01 10 00"
  static let continuousMode = "c0 0f 08 08 10 07 18 07 20 65 da 38 04 08 00 10 01"
  static let loadModule =
    "c0 22 08 00 10 12 18 12 82 4b 19 0a 17 0a 03 49 4d 55 10 c8 e1 e0 8b 01 18 88 b7 f9 f9 0e 20 d3 ce af e8 03"
}

/// A file of this repository, independent of the working directory.
func repositoryPath(_ path: String, file: String = #filePath) -> String {
  file.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 } + "/" + path
}
