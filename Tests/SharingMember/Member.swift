import EventLoop
import Glibc
import Sharing

/// A program that shares a tag. It obeys lines on its standard input, reports what happens in lines on its standard output,
/// and ends with its standard input.
@main
enum Program {
  nonisolated static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 4, let milliseconds = Int(words[3]) else {
      print("usage: sharing-member PARENT TAG MILLISECONDS")
      exit(2)
    }
    let loop = try EventLoop()
    let member = try Member(loop, parent: words[1], tag: words[2], limit: .milliseconds(milliseconds))
    member.enter()
    while !member.isOver {
      var poll = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, -1) > 0 { try loop.dispatch() }
    }
  }
}

@_silgen_name("fork") private func forkProcess() -> pid_t

private final class Member {
  private let loop: EventLoop
  private let place: MeetingPlace
  private var input: IOWatch?
  private var unread: [UInt8] = []
  private var seat: HostSeat?
  private var guests: [Channel] = []
  private var channel: Channel?
  private(set) var isOver = false

  init(_ loop: EventLoop, parent: String, tag: String, limit: Duration) throws {
    self.loop = loop
    var deadlines = SharingDeadlines()
    deadlines.welcome = limit
    deadlines.start = limit
    place = MeetingPlace(
      try RuntimeDirectory(in: parent), bus: "bus", tag: tag, loop: loop, deadlines: deadlines)
    input = try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in read() }
  }

  private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }

  func enter(past hung: UInt64? = nil) {
    loop.spawn { [unowned self] in
      do throws(SharingError) {
        switch try await place.enter(past: hung) {
        case .host(let seat): host(seat)
        case .guest(let channel): guest(channel)
        }
      } catch {
        say("error \(error.message)")
      }
    }
  }

  private func host(_ seat: HostSeat) {
    self.seat = seat
    var line = "host \(seat.epoch)"
    if let predecessor = seat.predecessor {
      line += " after \(predecessor.epoch) \(predecessor.lastID)"
      line += predecessor.wasWriting ? " writing" : ""
      line += predecessor.isRunning ? " running" : ""
      predecessor.onEnd { [unowned self] in say("ended") }
    }
    say(line)
    seat.open(
      onGuest: { [unowned self] channel in
        guests.append(channel)
        channel.start(onMessage: { [unowned self] in heard($0) }, onEnd: { [unowned self] _ in say("gone") })
      },
      onSuperseded: { [unowned self] in
        say("superseded")
        leave()
        enter()
      })
  }

  private func guest(_ channel: Channel) {
    self.channel = channel
    say("guest \(channel.epoch) \(channel.peer)")
    channel.start(
      onMessage: { [unowned self] in heard($0) },
      onEnd: { [unowned self] reason in
        say("end \(reason)")
        enter()
      })
  }

  private func heard(_ message: Message) {
    switch message {
    case .name(let text): say("name \(text)")
    case .request(let id, _): say("request \(id)")
    default: break
    }
  }

  private func leave() {
    guests = []
    seat?.leave()
    seat = nil
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
    guard count > 0 else {
      isOver = true
      return
    }
    unread += buffer.prefix(count)
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
      obey(String(decoding: unread[..<end], as: UTF8.self).split(separator: " ").map(String.init))
      unread.removeFirst(end + 1)
    }
  }

  private func obey(_ words: [String]) {
    switch words.first {
    case "announce":
      let isValid = seat?.announce(lastID: UInt32(words[1]) ?? 0, isWriting: words.count > 2) ?? false
      say(isValid ? "announced" : "not announced")
    case "name":
      for guest in guests { guest.send(.name(words[1])) }
    case "request": channel?.send(.request(id: UInt32(words[1]) ?? 0, UnsafeRawBufferPointer(start: nil, count: 0)))
    case "leave": leave()
    case "fork":
      let child = forkProcess()
      if child == 0 {
        sleep(60)
        _exit(0)
      }
      say("child \(child)")
    default: say("what?")
    }
  }
}
