import EventLoop
import JacquardWire

/// A tag during one life of its link.
public final class Tag {
  /// The reference's three attempts, for commands that may be repeated.
  private static let attempts = 3

  public let info: TagInfo
  let notifications: Notifications
  let names: NameMonitor
  private let link: Link
  private let deadlines: Deadlines

  init(_ info: TagInfo, _ link: Link, _ deadlines: Deadlines, _ notifications: Notifications, _ names: NameMonitor) {
    self.info = info
    self.link = link
    self.deadlines = deadlines
    self.notifications = notifications
    self.names = names
  }

  /// The tag itself as a component.
  public var component: Component { Component(ComponentInfo(tag: info), of: self) }

  public func readBattery(deadline: Duration? = nil) async throws -> Battery { try await send(Battery.read, deadline) }

  func setQueueDepth(_ depth: UInt32, deadline: Duration?) async throws {
    let command = TagCommand<Void>(.configWrite) {
      $0.configWrite.bleConfig.notifQueueDepth = depth
    } answer: { _ in
    }
    try await send(command, deadline)
  }

  /// Sends a request as it is but for its id; an error status is an answer like any other.
  public func exchange(_ request: WireRequest, deadline: Duration? = nil) async throws -> WireResponse {
    do {
      return try await link.commands.exchange(request, deadline: deadline ?? deadlines.request)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw JacquardError(describing: error, otherwise: .gatt)
    }
  }

  /// Sends a packet on the raw data channel.
  public func sendRaw(_ packet: [UInt8]) async throws {
    guard (1...FragmentFormat.longestPacket).contains(packet.count) else {
      throw JacquardError.invalid("A packet has 1 to \(FragmentFormat.longestPacket) bytes.")
    }
    guard link.isIntact, !link.commands.isClosed else {
      throw JacquardError(.staleTag, JacquardError.Code.staleTag.text)
    }
    try await link.rawChannel.send(packet)
  }

  func send<Answer>(_ command: TagCommand<Answer>, _ deadline: Duration?) async throws -> Answer {
    var attempt = 1
    while true {
      do {
        return try command.result(of: try await exchange(command.request, deadline: deadline))
      } catch let error as JacquardError
        where error.code == .timeout && command.isRepeatable && attempt < Self.attempts
      {
        attempt += 1
      }
    }
  }

  var requestDeadline: Duration { deadlines.request }

  /// Runs `body`, which waits for something other than an answer, until the deadline or the end of the link.
  func whileLinked<Value>(_ deadline: Duration, _ body: @escaping () async throws -> Value) async throws -> Value {
    // It may have ended in one breath with the answer that came before.
    guard !link.commands.isClosed else {
      throw JacquardError(.connectionLost, JacquardError.Code.connectionLost.text)
    }
    let task = link.loop.spawn(returning: body)
    var loss: JacquardError?
    let observation = link.commands.closing.add { error in
      loss = error
      task.cancel()
    }
    defer { observation.cancel() }
    do {
      return try await link.loop.withDeadline(deadline) {
        try await withTaskCancellationHandler {
          try await task.value
        } onCancel: {
          task.cancel()
        }
      }
    } catch {
      throw loss ?? error
    }
  }
}
