import EventLoop
import JacquardWire

/// What reaches a tag for the duration of one link: its device in BlueZ, or the program that has the link.
class Link {
  let loop: EventLoop
  let commands: CommandQueue
  let rawChannel: RawChannel
  let deadlines: Deadlines
  /// Modules must not be loaded while firmware is transferred: the image could be damaged.
  var isUpdating = false
  /// A motion stream was cancelled, and its request to stop has not been sent.
  var isStopDue = false
  var reservation = TagReservation()

  init(_ core: Core, _ commands: CommandQueue, _ rawChannel: RawChannel) {
    loop = core.loop
    deadlines = core.deadlines
    self.commands = commands
    self.rawChannel = rawChannel
    commands.onRequest = { [rawChannel] request, _ in rawChannel.requested(request) }
    commands.onResponse = { [rawChannel] in rawChannel.answered($0, $1) }
  }

  /// Whether this program has the link.
  var isOwn: Bool { true }

  /// Whether packets can still be sent through the same objects.
  var isIntact: Bool { true }

  /// Whether commands are written with response.
  var writesRequests: Bool { true }

  func close(_ error: JacquardError) {
    rawChannel.close(error)
    commands.close(error)
  }

  /// For a tag that is about to have another link. Returns the commands that have not begun.
  func closeKeepingWaiting(_ error: JacquardError) -> [CommandTurn] {
    defer { close(error) }
    return commands.closeKeepingWaiting(error)
  }
}
