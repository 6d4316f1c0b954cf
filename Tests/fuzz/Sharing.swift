import EventLoop
import Glibc

@testable import Sharing

extension Target {
  /// Messages between programs that share a tag: decoding, then a host with one hostile guest and one good guest, and the lock
  /// file that they find.
  static let sharing = Target(name: "sharing") { input in
    if let message = try? Message(input) { requireStable(message) }
    var choices = Choices(input)
    let loop = try EventLoop(clock: .virtual(VirtualClock()))
    let place = try SharedPlace(loop, lockFile: choices.bytes())
    while !choices.isEmpty { place.act(&choices) }
    place.finish()
    loop.close()
    loop.drain()
  }

  /// What is decoded can be sent, and is the same then. Texts that were repaired may have become longer than the limit.
  fileprivate static func requireStable(_ message: Message) {
    let once = encoded(message)
    guard let again = try? once.withUnsafeBytes({ try Message($0).map(encoded) }) else { fatalError("cannot be sent") }
    require(again == once, "changed on its way")
  }

  private static func encoded(_ message: Message) -> [UInt8] {
    var header = MessageHeader()
    message.encodeHeader(&header)
    return header.bytes + (message.payload.map(Array.init) ?? [])
  }
}

/// A host, a guest, and a socket with a hostile program on each side of a channel.
private final class SharedPlace {
  private static let parent: String = {
    var template = Array("/dev/shm/jacquard-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no place for files") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  private let loop: EventLoop
  private let place: MeetingPlace
  private let files: MeetingFiles
  private var seat: HostSeat?
  private var guests: [Channel] = []
  private var good: Channel?
  /// The sides that the library controls, and the hostile ones.
  private var attacked: [Channel] = []
  private var hostile: [SharedDescriptor] = []
  private var ends: [Int] = [0, 0]
  private var sentEvents: UInt64 = 0
  private var receivedEvents: UInt64 = 0
  private var reportedDrops: UInt64 = 0

  init(_ loop: EventLoop, lockFile: [UInt8]) throws {
    self.loop = loop
    let directory = try RuntimeDirectory(in: Self.parent)
    files = MeetingFiles(directory, bus: "bus", tag: "tag")
    place = MeetingPlace(directory, bus: "bus", tag: "tag", loop: loop)
    let file = OwnedDescriptor(
      taking: open("\(directory.path)/\(files.lock)", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
    _ = write(file.rawValue, lockFile, lockFile.count)
    enter()
    enter()
    for side in 0..<2 {
      var ends: [Int32] = [-1, -1]
      let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0, "no sockets")
      hostile.append(SharedDescriptor(taking: ends[1]))
      let channel = Channel(
        UnsharedDescriptor(taking: ends[0]), peer: 0, epoch: 1, isGuest: side == 0, loop: loop)
      attacked.append(channel)
      channel.start(
        onMessage: { [unowned self] message in
          require(message.kind.isFromHost == (side == 0), "a message for the other side")
          Target.requireStable(message)
          require(self.ends[side] == 0, "a message after the end")
        }, onEnd: { [unowned self] _ in self.ends[side] += 1 })
    }
  }

  private func enter() {
    loop.spawn { [unowned self] in
      switch try? await place.enter() {
      case .host(let new):
        require(seat == nil, "a second host")
        seat = new
        new.open(
          onGuest: { [unowned self] channel in
            guests.append(channel)
            channel.start(onMessage: { Target.requireStable($0) }, onEnd: { _ in })
          }, onSuperseded: {})
      case .guest(let channel):
        good = channel
        channel.start(
          onMessage: { [unowned self] message in
            if message.isEvent { receivedEvents += 1 }
            if case .dropped(let count) = message { reportedDrops += count }
          }, onEnd: { _ in })
      case nil: break
      }
    }
    settle()
  }

  private func settle() {
    for _ in 0..<10_000 {
      var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 0) == 1, (try? loop.dispatch()) != nil else { return }
    }
    fatalError("the loop does not rest")
  }

  func act(_ choices: inout Choices) {
    switch choices.index(below: 8) {
    case 0, 1: send(choices.bytes(), choices.index(below: 2))
    case 2:
      var bytes = choices.bytes()
      bytes.insert(choices.pick(Array(1...18) + Array(64...70)), at: 0)
      send(bytes, choices.index(below: 2))
    case 3: send([UInt8](repeating: choices.byte(), count: 16 * Int(choices.byte()) + Int(choices.byte())), 0)
    case 4: connect(choices.bytes())
    case 5:
      let count = 8 * Int(choices.byte())
      for channel in attacked + guests { send(count, choices.byte(), on: channel) }
    case 6: settle()
    default: _ = seat?.announce(lastID: choices.number(), isWriting: choices.byte() & 1 != 0)
    }
  }

  private func send(_ bytes: [UInt8], _ side: Int) {
    _ = Glibc.send(hostile[side].rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
  }

  /// Events and other messages, also too long ones.
  private func send(_ count: Int, _ how: UInt8, on channel: Channel) {
    [UInt8](repeating: how, count: count * (how & 3 == 3 ? 3 : 1)).withUnsafeBytes { payload in
      for id in 0..<UInt32(how >> 4) {
        if channel === guests.first, channel.isOpen { sentEvents += 1 }
        channel.send(.notification(payload))
        if how & 4 != 0 { channel.send(.response(id: id, payload)) }
      }
    }
  }

  /// A hostile program at the door of the host.
  private func connect(_ bytes: [UInt8]) {
    guard let seat, let socket = try? LocalSocket.connect(files.socket(seat.epoch), files.directory) else { return }
    _ = Glibc.send(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    settle()
  }

  func finish() {
    settle()
    // Unless so much was sent before the guest could read that it was cut off.
    if let host = guests.first, host.isOpen {
      require(receivedEvents + reportedDrops == sentEvents, "\(receivedEvents) + \(reportedDrops) != \(sentEvents)")
    }
    good?.close()
    for channel in attacked { channel.close() }
    require(ends.allSatisfy { $0 <= 1 }, "ended twice")
    seat?.leave()
    settle()
    require(seat?.hasGuests != true, "guests remain")
  }
}
