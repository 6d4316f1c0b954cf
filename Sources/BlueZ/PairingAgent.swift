import DBus
import EventLoop

/// Pairs, and handles bluetoothd's requests during pairing.
///
/// bluetoothd uses the agent of the bus connection that called `Pair`, if there is one; without any agent it refuses to
/// pair, and a desktop's agent would ask the user. Our agent is registered only during pairing. A tag has neither
/// display nor keys: the agent accepts requests for the paired device that need neither, and rejects all others.
public final class PairingAgent {
  private static let path = "/jacquard/agent"

  private let cache: ObjectCache
  private var devices: [Device] = []
  private var export: Export?
  /// Shared by all concurrent pairings; bluetoothd accepts one agent per bus connection.
  private var registered: Completion<Void, BlueZError>?
  /// The instance of bluetoothd that it is registered with.
  private var owner: String?

  /// Creates an agent, which is registered with bluetoothd only while it pairs a device.
  public init(_ cache: ObjectCache) { self.cache = cache }

  /// Returns when the device is paired; cleans up on failure.
  public func pair(_ device: Device, deadline: Duration) async throws(BlueZError) {
    devices.append(device)
    defer { leave(device) }
    try await register()
    do throws(BlueZError) {
      try await device.pair(deadline: deadline)
    } catch {
      if error.kind == .alreadyExists { return }
      if error.name == nil { device.cancelPairingWithoutWaiting() }
      throw error
    }
  }

  private func leave(_ device: Device) {
    if let index = devices.firstIndex(where: { $0 === device }) { devices.remove(at: index) }
    guard devices.isEmpty, registered != nil else { return }
    sendUnregister()
    forgetRegistration()
  }

  private func sendUnregister() {
    cache.send(ObjectPath.bluez, .agentManager, "UnregisterAgent", [.objectPath(Self.path)])
  }

  private func forgetRegistration() {
    registered = nil
    export = nil
  }

  private func register() async throws(BlueZError) {
    if let registered, owner == cache.owner { return try await registered.value() }
    let outcome = Completion<Void, BlueZError>()
    registered = outcome
    owner = cache.owner
    cache.loop.spawn { [self] in
      // All callers may have been cancelled before it began.
      guard registered === outcome else { return }
      do throws(BlueZError) {
        export = try cache.export(Self.path) { [weak self] in self?.answer($0) }
        try await cache.call(
          ObjectPath.bluez, .agentManager, "RegisterAgent", [.objectPath(Self.path), "NoInputNoOutput"],
          deadline: BlueZDeadlines.setting)
        outcome.succeed(())
      } catch {
        if error.kind == .alreadyExists {
          outcome.succeed(())
        } else {
          if registered === outcome {
            forgetRegistration()
            // bluetoothd may still register it.
            if error.name == nil { sendUnregister() }
          }
          outcome.fail(error)
        }
      }
    }
    try await outcome.value()
  }

  private func answer(_ call: MethodCall) {
    guard call.interface == nil || call.interface == Interface.agent.rawValue else { return call.failUnknownMethod() }
    switch call.member {
    case "RequestConfirmation", "RequestAuthorization", "AuthorizeService":
      let path = call.body().first?.asObjectPath
      guard devices.contains(where: { $0.path == path && !$0.isGone }) else { return reject(call) }
      try? call.reply()
    case "RequestPinCode", "RequestPasskey", "DisplayPinCode", "DisplayPasskey": reject(call)
    case "Cancel": try? call.reply()
    case "Release":
      try? call.reply()
      forgetRegistration()
    default: call.failUnknownMethod()
    }
  }

  private func reject(_ call: MethodCall) {
    call.fail("org.bluez.Error.Rejected", "This agent accepts only the tag that is being paired, without a passkey.")
  }
}
