import EventLoop

/// The way to a tag for the duration of one link: its device in BlueZ, or the service.
protocol Link: AnyObject {
  var commands: CommandQueue { get }
  var rawChannel: RawChannel { get }
  var facts: LinkFacts { get }
  /// Whether packets can still be sent through the same objects.
  var isIntact: Bool { get }
  /// Whether commands are written with response.
  var writesRequests: Bool { get }
  var life: LinkLife { get }
}

/// Facts that the parts of a program note on a link.
final class LinkFacts {
  let loop: EventLoop
  let deadlines: Deadlines
  let reservation: TagReservation
  /// Modules must not be loaded while firmware is transferred: the image could be damaged.
  var isUpdating = false
  /// A motion stream was cancelled, and its request to stop has not been sent.
  var isStopDue = false

  init(_ core: Core, _ reservation: TagReservation) {
    loop = core.loop
    deadlines = core.deadlines
    self.reservation = reservation
  }
}

extension Link {
  var loop: EventLoop { facts.loop }
  var deadlines: Deadlines { facts.deadlines }
  var reservation: TagReservation { facts.reservation }

  var isUpdating: Bool {
    get { facts.isUpdating }
    set { facts.isUpdating = newValue }
  }

  var isStopDue: Bool {
    get { facts.isStopDue }
    set { facts.isStopDue = newValue }
  }
}
