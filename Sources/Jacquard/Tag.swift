import JacquardWire

/// A tag during one life of its link.
public final class Tag {
  public let info: TagInfo
  private let link: Link
  private let deadlines: Deadlines

  init(_ info: TagInfo, _ link: Link, _ deadlines: Deadlines) {
    self.info = info
    self.link = link
    self.deadlines = deadlines
  }

  public func readBattery(deadline: Duration? = nil) async throws -> Battery { try await send(Battery.read, deadline) }

  private func send<Answer>(_ command: TagCommand<Answer>, _ deadline: Duration?) async throws -> Answer {
    do {
      return try command.result(
        of: try await link.commands.exchange(command.request, deadline: deadline ?? deadlines.request))
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw JacquardError(describing: error, otherwise: .gatt)
    }
  }
}
