import EventLoop
import Glibc
import JacquardWire
import Sharing
import TagSimulator
import TestWorld
import Testing

@testable import Jacquard

/// A service that does what a test wants, on the fixture's loop.
final class ScriptedService {
  /// The service's behaviour towards a program.
  enum Manner: CaseIterable {
    /// Connects to a tag that does not respond.
    case connects
    case closes
    case welcomesAndCloses
    case beginsAndCloses
    /// Answers like a service of another version.
    case refuses
    /// Does not answer.
    case hangs
    /// Answers like a service without a bus.
    case hasNoBus

    static let ending: [Manner] = [.closes, .welcomesAndCloses, .beginsAndCloses, .refuses]
  }

  var answersPings = true
  private(set) var contacts = 0
  private(set) var pings = 0
  /// When this changes, programs that wait for an answer get that of the new behaviour.
  var manner: Manner {
    didSet {
      for channel in unanswered { welcome(channel) }
      unanswered = []
    }
  }
  var unanswered: [ProgramChannel] = []
  private var listener: ServiceListener?
  private var channels: [ProgramChannel] = []

  init(_ fixture: WorldFixture, _ manner: Manner) throws {
    self.manner = manner
    listener = try ServiceListener(fixture.servicePath, loop: fixture.loop) { [weak self] in self?.accept($0) }
  }

  private func accept(_ channel: ProgramChannel) {
    contacts += 1
    channels.append(channel)
    channel.start(
      onMessage: { [weak self, unowned channel] in self?.take($0, from: channel) }, onEnd: { _ in })
  }

  func take(_ message: ProgramMessage, from channel: ProgramChannel) {
    switch message {
    case .hello where manner == .hangs: unanswered.append(channel)
    case .hello where answersPings: welcome(channel)
    case .ping:
      pings += 1
      if answersPings { channel.send(.pong) }
    default: break
    }
  }

  private func welcome(_ channel: ProgramChannel) {
    defer { if manner != .connects { channel.close() } }
    if manner == .closes { return }
    if manner == .refuses {
      channel.send(.refused(.full, .serviceEnded))
      return
    }
    if manner == .hasNoBus {
      channel.send(.refused(.full, JacquardError(.busUnavailable, "")))
      return channel.close()
    }
    channel.send(.welcome)
    if manner == .welcomesAndCloses { return }
    channel.send(.state(ConnectionState(phase: .preparing, step: 2, attempt: 1)))
    if manner == .beginsAndCloses { return }
    let info = WireDeviceInfoResponse.with { $0.vendor = "Google" }
    info.packet().withUnsafeBytes {
      _ = channel.send(.tagInfo(.init(address: "C0:1A:DA:00:00:00", name: "tag", response: $0)))
    }
    channel.send(.state(ConnectionState(phase: .connected, step: Step.connected.rawValue, attempt: 1)))
  }
}
