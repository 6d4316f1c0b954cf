import DBus
import EventLoop

/// `org.bluez.BatteryProviderManager1` of an adapter: programs report the levels of batteries, and each is exported as
/// `org.bluez.Battery1` of its device.
final class FakeBatteries {
  private static let provided = "org.bluez.BatteryProvider1"
  private static let battery = "org.bluez.Battery1"

  private final class Provider {
    let owner: String
    let path: String
    /// By the path of the provider's object.
    var batteries: [String: (device: FakeDevice, interface: ExportedInterface)] = [:]
    var isRegistered = true
    var subscription: Subscription?

    init(owner: String, path: String) {
      self.owner = owner
      self.path = path
    }
  }

  private weak var adapter: FakeAdapter?
  private var providers: [Provider] = []
  let interface = ExportedInterface("org.bluez.BatteryProviderManager1")

  init(_ adapter: FakeAdapter) {
    self.adapter = adapter
    interface.methods = [
      "RegisterBatteryProvider": { [unowned self] in try register($0) },
      "UnregisterBatteryProvider": { [unowned self] in try unregister($0) },
    ]
  }

  var paths: [String] { providers.map(\.path) }
  var levels: [UInt8] {
    providers.flatMap(\.batteries.values).compactMap {
      if case .byte(let level) = $0.interface["Percentage"] { level } else { nil }
    }
  }
  private var daemon: FakeBlueZ? { adapter?.daemon }

  private func register(_ call: MethodCall) throws {
    guard let path = call.arguments.first?.asObjectPath else { throw MethodFailure.invalidArguments }
    guard !providers.contains(where: { $0.path == path }) else { throw MethodFailure.alreadyExists }
    let new = Provider(owner: call.caller, path: path)
    providers.append(new)
    call.answer()
    daemon?.clock.loop.spawn { [weak self] in if let self { try? await follow(new) } }
  }

  private func unregister(_ call: MethodCall) throws {
    guard let path = call.arguments.first?.asObjectPath,
      let provider = providers.first(where: { $0.path == path && $0.owner == call.caller })
    else { throw MethodFailure.doesNotExist }
    remove(provider)
    call.answer()
  }

  func clientGone(_ name: String) { for provider in providers where provider.owner == name { remove(provider) } }

  func removeAll() { for provider in providers { remove(provider) } }

  private func remove(_ provider: Provider) {
    providers.removeAll { $0 === provider }
    provider.isRegistered = false
    provider.subscription?.cancel()
    for path in provider.batteries.keys.sorted() { withdraw(path, of: provider) }
  }

  /// Receives the provider's objects, and its signals about them.
  private func follow(_ provider: Provider) async throws {
    guard let daemon, let connection = daemon.connection else { return }
    let rule = MatchRule(sender: provider.owner, pathNamespace: provider.path)
    let subscription = try await connection.subscribe(rule) { [weak self] view in
      let signal = Message(view)
      daemon.server?.perform { self?.take(signal, of: provider) }
    }
    guard provider.isRegistered else { return subscription.cancel() }
    provider.subscription = subscription
    let reply = try await connection.call(
      to: provider.owner, path: provider.path, interface: ObjectServer.objectManager, member: "GetManagedObjects")
    for entry in reply.body().first?.asEntries ?? [] { add(entry.key.asObjectPath, entry.value, to: provider) }
  }

  private func take(_ signal: Message, of provider: Provider) {
    let body = signal.body()
    switch signal.member {
    case "InterfacesAdded" where body.count == 2: add(body[0].asObjectPath, body[1], to: provider)
    case "InterfacesRemoved": withdraw(body.first?.asObjectPath ?? "", of: provider)
    case "PropertiesChanged" where body.count == 3:
      guard let battery = provider.batteries[signal.path ?? ""], let level = body[1]["Percentage"] else { return }
      battery.device.object.change(battery.interface, ["Percentage": level])
    default: break
    }
  }

  /// Like bluetoothd, refuses a device that it does not keep, or that has a battery.
  private func add(_ path: String?, _ interfaces: Value, to provider: Provider) {
    let offered = interfaces.asEntries?.first { $0.key.asString == Self.provided }?.value.asProperties
    guard provider.isRegistered, let path, provider.batteries[path] == nil, let offered,
      let device = adapter?.devices.first(where: { $0.path == offered["Device"]?.asObjectPath }), device.isKept,
      !device.object.interfaces.contains(where: { $0.name == Self.battery })
    else { return }
    let interface = ExportedInterface(Self.battery, offered.filter { $0.key != "Device" })
    provider.batteries[path] = (device, interface)
    device.object.add(interface)
  }

  private func withdraw(_ path: String, of provider: Provider) {
    guard let battery = provider.batteries.removeValue(forKey: path) else { return }
    battery.device.object.remove(battery.interface)
  }
}
