import DBus
import EventLoop

/// The objects that org.bluez exports, updated by its signals; cleared whenever bluetoothd or the bus becomes
/// unavailable. Devices change here only while they are followed (`ObjectCache+Following`).
///
/// It makes no assumption about the order of signals: objects may be removed twice or out of order, properties of
/// unknown paths may change, keys may be missing.
public final class ObjectCache {
  /// A change of an object, sent after the object has changed, or of bluetoothd's availability.
  public enum Change {
    case availability
    case added(BlueZObject)
    /// Contains the names of the properties that BlueZ sent, but not of invalidated ones.
    case changed(BlueZObject, [String])
    case removed(BlueZObject)

    /// Whether the adapters that can be used may have changed.
    public var concernsAdapters: Bool {
      switch self {
      case .availability: true
      case .added(let object), .changed(let object, _), .removed(let object): object is Adapter
      }
    }
  }

  /// The loop on which the cache and all its objects are used.
  public let loop: EventLoop
  /// Sends every change of every object. `Device.changes` sends those of one device.
  public let changes = Observers<Change>()

  /// Called when a call has exceeded its time limit.
  var unanswered: () -> Void = {}
  /// Called when a time limit has passed. Waits while bluetoothd does not respond, and returns whether it had hung and
  /// responds now.
  var hasHung: () async -> Bool = { false }

  /// The objects of each interface, by their path.
  private var objects: [Interface: [String: BlueZObject]] = [:]
  /// Devices of one kind have the same UUIDs: equal lists, one after the other, share their memory.
  private var latestUUIDs: [String] = []
  /// How many advertisements BlueZ has reported.
  private(set) var advertisements: UInt = 0
  /// The paths of services and characteristics by the path of their device.
  private var attributes: [String: Set<String>] = [:]
  /// The paths of characteristics that were removed before the reply to their StartNotify was seen.
  private var unconfirmedSessions: Set<String> = []
  private var listeners = ListenerTable()
  /// The current bluetoothd: the bus connection and its unique name.
  private var peer: (connection: BusConnection, owner: String)?
  private(set) var rules: DeviceRules?
  private var traffic: PeerTraffic?

  init(loop: EventLoop) { self.loop = loop }

  // MARK: Reading

  /// All adapters, ordered by object path.
  public var adapters: [Adapter] { all(.adapter) }
  /// All known devices of all adapters, ordered by object path.
  public var devices: [Device] { all(.device) }

  private func all<Object: BlueZObject>(_ interface: Interface) -> [Object] {
    (objects[interface] ?? [:]).values.compactMap { $0 as? Object }.sorted { $0.path < $1.path }
  }

  /// Finds a characteristic by its UUID and its service's UUID, both in lower case.
  public func characteristic(_ uuid: String, service: String, of device: Device) -> GattCharacteristic? {
    for path in attributePaths(of: device) {
      if let found: GattCharacteristic = object(.gattCharacteristic, path), found.uuid == uuid,
        let parent: GattService = object(.gattService, found.servicePath), parent.uuid == service
      {
        return found
      }
    }
    return nil
  }

  /// All characteristics of a device, ordered by object path; empty while BlueZ exports none.
  public func characteristics(of device: Device) -> [GattCharacteristic] {
    attributePaths(of: device).compactMap { object(.gattCharacteristic, $0) }
  }

  private func attributePaths(of device: Device) -> [String] { (attributes[device.path] ?? []).sorted() }

  /// The device of a service or characteristic.
  func device(of object: BlueZObject) -> Device? { object.devicePath.flatMap { self.object(.device, $0) } }

  /// The object that takes the battery levels of the devices of this device's adapter; nil if bluetoothd has none.
  func batteryManager(of device: Device) -> BlueZObject? {
    device.isGone ? nil : object(.batteryManager, device.adapterPath)
  }

  /// Whether bluetoothd exports the battery of this device.
  func hasBattery(_ device: Device) -> Bool { object(.battery, device.path) != nil }

  private func object<Object: BlueZObject>(_ interface: Interface, _ path: String) -> Object? {
    objects[interface]?[path] as? Object
  }

  // MARK: Updating

  /// The unique name of bluetoothd.
  var owner: String? { peer?.owner }

  func attach(_ connection: BusConnection, owner: String) {
    if rules?.connection !== connection { rules = DeviceRules(connection) }
    peer = (connection, owner)
    traffic = connection.follow(owner)
  }

  /// Changes whenever bluetoothd sends a message that only another program receives.
  var elsewhere: UInt32 { traffic?.elsewhere ?? 0 }

  func clear() {
    peer = nil
    traffic = nil
    let gone = objects.values.flatMap(\.values).sorted { $0.path < $1.path }
    objects = [:]
    latestUUIDs = []
    attributes = [:]
    listeners = ListenerTable()
    unconfirmedSessions = []
    for object in gone { object.remove() }
    for object in gone { announce(.removed(object), object) }
  }

  func interfacesAdded(_ message: MessageView) {
    var reader = message.reader
    guard let path = reader.cString.map({ String(cString: $0) }), reader.next(),
      let interfaces = reader.value?.asEntries
    else { return }
    add(path, interfaces)
  }

  func interfacesRemoved(_ message: MessageView) {
    var reader = message.reader
    guard let path = reader.cString.map({ String(cString: $0) }), reader.next(), let names = reader.value?.asStrings
    else { return }
    for name in names {
      guard let interface = Interface(rawValue: name), let object = objects[interface]?.removeValue(forKey: path)
      else { continue }
      forget(object)
    }
  }

  private func forget(_ object: BlueZObject) {
    object.remove()
    if let characteristic = object as? GattCharacteristic {
      listeners.remove(characteristic)
      if characteristic.sessionIsUnconfirmed { unconfirmedSessions.insert(object.path) }
    }
    if let device = object.devicePath {
      attributes[device]?.remove(object.path)
      if attributes[device]?.isEmpty ?? false { attributes[device] = nil }
    }
    announce(.removed(object), object)
  }

  /// - Parameter isNews: false for a reply, whose contents may have been signalled long ago.
  func add(_ path: String, _ interfaces: [Value.Entry], isNews: Bool = true) {
    for entry in interfaces {
      guard let interface = entry.key.asString.flatMap(Interface.init), let properties = entry.value.asProperties else {
        continue
      }
      if let known = objects[interface]?[path] {
        if !isNews { known.invalidate(missingIn: properties) }
        known.apply(properties)
        announce(.changed(known, isNews ? Array(properties.keys) : []), known)
      } else if let new = make(interface, path) {
        new.apply(properties)
        objects[interface, default: [:]][path] = new
        if let device = new.devicePath { attributes[device, default: []].insert(path) }
        if unconfirmedSessions.remove(path) != nil { (new as? GattCharacteristic)?.inheritSession() }
        announce(.added(new), new)
      }
    }
  }

  func noteAdvertisement() { advertisements &+= 1 }

  func shared(_ uuids: [String]) -> [String] {
    if uuids != latestUUIDs { latestUUIDs = uuids }
    return latestUUIDs
  }

  /// Sends the change to the observers of its device first, then to the observers of all changes.
  func announce(_ change: Change, _ object: BlueZObject) {
    (object as? Device ?? device(of: object))?.announce(change)
    changes.send(change)
  }

  private func make(_ interface: Interface, _ path: String) -> BlueZObject? {
    switch interface {
    case .adapter: Adapter(path: path, cache: self)
    case .device: Device(path: path, cache: self)
    case .gattService: GattService(path: path, cache: self)
    case .gattCharacteristic: GattCharacteristic(path: path, cache: self)
    case .battery, .batteryManager: BlueZObject(path: path, cache: self)
    default: nil
    }
  }

  /// A notified value is passed directly to its listener; all other changes are rare and are handled generically.
  func propertiesChanged(_ message: MessageView) {
    if let traffic, let peer, listeners.deliverValue(of: message, traffic, peer.connection) { return }
    var reader = message.reader
    guard let path = message.path.map({ String(cString: $0) }),
      let interface = reader.cString.flatMap({ Interface(rawValue: String(cString: $0)) }),
      let object = objects[interface]?[path],
      reader.next()
    else { return }
    var changed: [String] = []
    reader.forEachProperty { name, value in
      object.apply(name, value)
      changed.append(name)
    }
    if reader.next(), var names = reader.enter() {
      while let name = names.cString {
        object.invalidate(String(cString: name))
        names.next()
      }
    }
    announce(.changed(object, changed), object)
  }

  /// Handles `Device1.Disconnected`. Waiters for the property read the reason when the property changes.
  func deviceDisconnected(_ message: MessageView) {
    var reader = message.reader
    guard let path = message.path.map({ String(cString: $0) }), let device: Device = object(.device, path),
      let reason = reader.value?.asString
    else { return }
    device.disconnected(because: reason)
  }

  func listen(_ characteristic: GattCharacteristic, _ listening: Bool) {
    if listening { listeners.insert(characteristic) } else { listeners.remove(characteristic) }
  }

  // MARK: Calling

  /// Calls go to the unique name of the bluetoothd that exported the object, never to its successor.
  ///
  /// - Parameter takeEffect: runs with the reply, before any later signal; the waiting task runs afterwards.
  @discardableResult
  func call(
    _ path: String, _ interface: Interface, _ member: String, _ body: [Value], deadline: Duration,
    takeEffect: @escaping ([Value]) -> Void = { _ in }
  ) async throws(BlueZError) -> [Value] {
    try await call(path, interface, member, body, deadline: deadline) { message, _, answer in
      let values = message.body()
      takeEffect(values)
      answer.succeed(values)
    }
  }

  /// - Parameter handle: runs with the reply, and completes the call.
  func call<Answer>(
    _ path: String, _ interface: Interface, _ member: String, _ body: [Value], deadline: Duration,
    handle: @escaping (Message, BusConnection, Completion<Answer, BlueZError>) -> Void
  ) async throws(BlueZError) -> Answer {
    guard let connection = peer?.connection else { throw .unavailable }
    guard !Task.isCancelled else { throw .cancelled }
    let answer = Completion<Answer, BlueZError>()
    let pending = try start(path, interface, member, body, deadline: deadline) { result in
      switch result {
      case .success(let message): handle(message, connection, answer)
      case .failure(let error): answer.fail(error)
      }
    }
    defer { pending.cancel() }
    return try await answer.value()
  }

  /// `completion` runs exactly once, never from within this function.
  ///
  /// - Parameter deadline: nil for no time limit.
  @discardableResult
  func start(
    _ path: String, _ interface: Interface, _ member: String, _ body: [Value], deadline: Duration?,
    completion: @escaping (Result<Message, BlueZError>) -> Void
  ) throws(BlueZError) -> PendingCall {
    try start(deadline: deadline, completion) { (owner) throws(BusError) in
      try .methodCall(destination: owner, path: path, interface: interface.rawValue, member: member, body)
    }
  }

  /// - Parameter call: receives the unique name of bluetoothd.
  @discardableResult
  func start(
    deadline: Duration?, _ completion: @escaping (Result<Message, BlueZError>) -> Void,
    _ call: (String) throws(BusError) -> Message
  ) throws(BlueZError) -> PendingCall {
    guard let peer else { throw .unavailable }
    do throws(BusError) {
      let call = try call(peer.owner)
      return try peer.connection.call(call, deadline: deadline) { [self] (result: Result<Message, BusError>) in
        switch result {
        case .success(let message): completion(.success(message))
        case .failure(let error):
          if case .deadline = error { unanswered() }
          completion(.failure(BlueZError(error)))
        }
      }
    } catch {
      throw BlueZError(error)
    }
  }

  func send(_ path: String, _ interface: Interface, _ member: String, _ body: [Value] = []) {
    guard let peer,
      let message = try? Message.methodCall(
        destination: peer.owner, path: path, interface: interface.rawValue, member: member, body)
    else { return }
    _ = try? peer.connection.send(message)
  }

  /// The unique name of this program; empty without a bus.
  var ownName: String { peer?.connection.uniqueName ?? "" }

  /// Sends a signal of an exported object.
  func emit(_ path: String, _ interface: Interface, _ member: String, _ body: [Value]) {
    try? peer?.connection.emit(path: path, interface: interface.rawValue, member: member, body)
  }

  /// Makes bluetoothd send a message at minimal cost: libdbus in bluetoothd replies to this call.
  ///
  /// - Parameter answered: whether the reply came from bluetoothd.
  func ask(_ answered: @escaping (Bool) -> Void) {
    guard let peer,
      let message = try? Message.methodCall(
        destination: peer.owner, path: ObjectPath.root, interface: Interface.peer.rawValue, member: "Ping"),
      (try? peer.connection.call(message, completion: { answered((try? $0.get()) != nil) })) != nil
    else { return answered(false) }
  }

  /// Handles calls from this bluetoothd only.
  func export(_ path: String, _ handler: @escaping (MethodCall) -> Void) throws(BlueZError) -> Export {
    guard let peer else { throw .unavailable }
    do throws(BusError) {
      return try peer.connection.export(path) { call in
        guard call.sender == peer.owner else {
          return call.fail(ErrorName.accessDenied, "only bluetoothd may call this")
        }
        handler(call)
      }
    } catch {
      throw BlueZError(error)
    }
  }
}
