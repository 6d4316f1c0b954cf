import EventLoop
import JacquardWire
import Sharing

/// The link of another program, the host, which writes this program's packets and passes on what it receives.
final class GuestLink: Link {
  /// Requests have the IDs of their packets, raw packets those above.
  private static let firstRawID: UInt32 = 256

  private let notifications: Notifications
  private let requests: GuestRequests

  init(_ core: Core, _ channel: Channel, _ notifications: Notifications, hostHangs: @escaping () -> Void) {
    self.notifications = notifications
    let requests = GuestRequests(channel, core.loop, core.deadlines, hostHangs: hostHangs)
    self.requests = requests
    var id: UInt32 = 0
    var isLimited = false
    let commands = CommandQueue(
      loop: core.loop, log: core.log, statistics: notifications.statistics, responseLimit: core.deadlines.request
    ) { packet, _, completion in
      packet.withUnsafeBytes { requests.send(.request(id: id, $0), id, completion) }
      if isLimited { requests.followProgress(of: id) }
    }
    var rawID = Self.firstRawID
    let rawChannel = RawChannel(
      notifications,
      write: { packet, _, completion in
        rawID = max(rawID &+ 1, Self.firstRawID)
        packet.withUnsafeBytes { requests.send(.rawRequest(id: rawID, $0), rawID, completion) }
      })
    super.init(core, commands, rawChannel)
    commands.onRequest = { [rawChannel] request, limit in
      id = request.id
      isLimited = limit != nil
      rawChannel.requested(request)
    }
    commands.onAbandoned = { requests.withdraw($0) }
  }

  override var isOwn: Bool { false }

  /// Handles what the host sends about this program's packets, and the values of the raw data channel.
  func take(_ message: Message) {
    switch message {
    case .accepted(let id): requests.accepted(id)
    case .written(let id): requests.written(id, isOpen: id < Self.firstRawID)
    case .response(let id, let packet):
      requests.answered(id)
      commands.receive(packet)
    case .failed(let id, let failure):
      let error = JacquardError(failure)
      if !requests.failed(id, error) { commands.failed(id, error) }
    case .rawPacket(let payload): rawChannel.receiveRelayed(payload)
    case .rawValue(let value, let isStream):
      notifications.rawValues.send(value)
      if isStream { notifications.streamValues.send(value) }
    default: break
    }
  }

  override func close(_ error: JacquardError) {
    super.close(error)
    requests.close(error)
  }
}
