import BlueZ
import EventLoop
import Sharing

/// Has the links of all tags for the programs that connect to it.
public final class Service {
  /// The bus of a service, and its time limits.
  public struct Options: Sendable {
    /// The address of the bus; nil means $DBUS_SYSTEM_BUS_ADDRESS, or else the system bus.
    public var busAddress: String?
    /// How long the link to a tag stays after its last program.
    public var lingering: Duration
    /// The parent of the directory in which tags are locked; nil: that of the user's session.
    public var runtimeDirectory: String?

    public init(lingering: Duration) { self.lingering = lingering }
  }

  /// The longest time from the connection of a program to its first message.
  private static let silence: Duration = .seconds(2)
  /// How long a program waits for a service that has just been started and has no bus yet; shorter than the time after
  /// which it assumes that the service hangs.
  private static let busTime: Duration = .seconds(4)
  /// The most programs that have not sent anything yet. For one more, the first one of the user, and of the process,
  /// that has most of them is dropped.
  private static let mostNewcomers = 64

  /// Sent when the first program comes and when the last one has left; the value: whether there are any.
  public let uses = Observers<Bool>()
  private let loop: EventLoop
  private let options: Options
  private let log: Log.Sink
  /// A manager for each adapter that programs use tags with, as long as they do. Each has a connection to the bus.
  private var managers: [String: Manager] = [:]
  private var tags: [ServedTag] = []
  private var newcomers: [(channel: ProgramChannel, timer: LoopTimer)] = []
  /// Programs that wait to be admitted.
  private var waiting = 0
  private var hadPrograms = false
  private var isClosed = false

  /// - Parameter log: receives lines up to the level `info`.
  public init(_ options: Options, loop: EventLoop, log: @escaping Log.Sink) throws(JacquardError) {
    self.options = options
    self.loop = loop
    self.log = log
    let first = try manager(forAdapter: "")
    if let directory = first.core.sharing.directory { TagLockFile.removeLeftOvers(in: directory) }
  }

  /// - Parameter adapter: its address; empty: the first powered one.
  private func manager(forAdapter adapter: String) throws(JacquardError) -> Manager {
    if let manager = managers[adapter] { return manager }
    var options = Manager.Options()
    options.busAddress = self.options.busAddress
    options.adapterAddress = adapter.isEmpty ? nil : adapter
    options.sharing = true
    options.servicePlaces = []
    options.runtimeDirectory = self.options.runtimeDirectory
    options.keepsState = false
    let manager = try Manager(options, loop: loop)
    _ = manager.addLog(upTo: .info, log)
    _ = manager.addLog(upTo: .warning) { [weak self] in self?.pass($0) }
    manager.start()
    managers[adapter] = manager
    return manager
  }

  /// Throws unless the machine has the adapter. It may still be starting.
  private func check(adapter: String, _ core: Core) async throws(JacquardError) {
    guard managers[adapter] == nil else { return }
    guard BluetoothAddress(adapter) != nil else { throw .invalid("The address of the adapter is malformed.") }
    let isThere = try await core.monitor.checks.until(within: Self.busTime, on: loop) { () throws(JacquardError) in
      core.cache.adapters.contains { $0.address.uppercased() == adapter } ? true : nil
    }
    guard isThere == nil else { return }
    guard case .running = core.bluez.availability else { throw .noAdapterYet }
    throw JacquardError(.noAdapter, "Adapter \(adapter) was not found.")
  }

  /// Warnings about a tag reach its programs.
  private func pass(_ line: Log.Line) {
    if let tag = tags.first(where: { $0.identifier == line.tag }) { tag.log(line) }
  }

  // MARK: Programs

  /// A program has connected.
  public func accept(_ channel: ProgramChannel) {
    guard !isClosed else { return channel.close() }
    if newcomers.count >= Self.mostNewcomers {
      let ofUser = newcomers.map { $0.channel }.largestGroup { $0.peer.user }
      drop(ofUser.largestGroup { $0.peer.process }[0])
    }
    let timer = loop.schedule(after: Self.silence) { [weak self, weak channel] in
      if let self, let channel { drop(channel) }
    }
    newcomers.append((channel, timer))
    channel.start(
      onMessage: { [weak self, unowned channel] in self?.take($0, from: channel) },
      onEnd: { [weak self, unowned channel] _ in self?.forget(channel) })
  }

  private func drop(_ channel: ProgramChannel) {
    forget(channel)
    channel.close()
  }

  private func forget(_ channel: ProgramChannel) {
    guard let index = newcomers.firstIndex(where: { $0.channel === channel }) else { return }
    newcomers.remove(at: index).timer.cancel()
  }

  private func take(_ message: ProgramMessage, from channel: ProgramChannel) {
    forget(channel)
    channel.pause()
    // The program may have given up while this process was stopped.
    guard case .hello(let hello) = message, !channel.isOrphaned else { return channel.close() }
    guard hello.version == Version.current.rawValue else {
      let error = JacquardError.versions(
        service: (Version.current.rawValue, JacquardError.ownProcess), program: (hello.version, channel.peer.process))
      return refuse(channel, .version, error)
    }
    guard let purpose = hello.purpose else {
      return refuse(
        channel, .version, .unknownPurpose(service: JacquardError.ownProcess, program: channel.peer.process))
    }
    guard channel.account?.hasRoom ?? true else { return refuse(channel, .full, .tooManyConnections) }
    waiting += 1
    checkUse()
    loop.spawn { [self] in
      do throws(JacquardError) {
        try await admit(channel, hello, purpose)
      } catch {
        if !error.isCancellation { refuse(channel, error.code == .inUse ? .inUse : .full, error) }
        channel.close()
      }
      waiting -= 1
      checkUse()
    }
  }

  private func refuse(_ channel: ProgramChannel, _ refusal: Refusal, _ error: JacquardError = .inUse(by: nil)) {
    channel.send(.refused(refusal, error))
    channel.close()
  }

  private func admit(
    _ channel: ProgramChannel, _ hello: ProgramMessage.Hello, _ purpose: Purpose
  ) async throws(JacquardError) {
    guard let identifier = TagIdentifier(text: hello.tag) else { throw .invalid("The identifier is malformed.") }
    let (core, adapter) = (try manager(forAdapter: "").core, hello.adapter.uppercased())
    let found = try await core.monitor.checks.until(within: Self.busTime, on: loop) { () throws(JacquardError) in
      core.bluez.isOnBus || core.bluez.busID == hello.bus ? core.bluez.busID : nil
    }
    guard let bus = found else {
      throw JacquardError(.busUnavailable, "The service has no bus yet.", advice: JacquardError.adviceWhileHealing)
    }
    let wantsBus = purpose != .usage || !hello.bus.isEmpty
    guard bus == hello.bus || !wantsBus else { return refuse(channel, .otherBus) }
    var known: ServedTag? { tag(identifier) }
    switch purpose {
    case .link, .inquire: break
    case .usage:
      if let usage = channel.account?.usage(process: JacquardError.ownProcess) { channel.send(.usage(usage)) }
      return channel.close()
    case .release:
      if let known, await !known.releaseWarmLink() { throw .usedThroughService(by: known.programNames) }
      return refuse(channel, .released)
    case .unbind: return try await unbind(identifier, known, core, for: channel)
    }
    try await check(adapter: adapter, core)
    if let known, !adapter.isEmpty, known.adapter != adapter {
      // It has just started: the program tries again.
      guard !known.adapter.isEmpty else { throw .noAdapterYet }
      // An inquiry changes nothing.
      guard purpose == .inquire ? known.programs.isEmpty : await known.releaseWarmLink() else {
        throw .otherAdapter(known.adapter, of: known.programNames)
      }
    }
    if purpose == .inquire {
      channel.send(.welcome)
      return channel.close()
    }
    try serve(identifier, adapter).admit(channel, hello)
  }

  private func unbind(
    _ identifier: TagIdentifier, _ known: ServedTag?, _ core: Core, for channel: ProgramChannel
  ) async throws(JacquardError) {
    try known?.check(.unbind, by: channel.peer)
    try await core.checkService()
    known?.panelBattery.linkEnded()
    // Removing a tag that is connected takes BlueZ some seconds.
    channel.send(.welcome)
    channel.start(onMessage: { if case .ping = $0 { channel.send(.pong) } }, onEnd: { _ in })
    channel.send(.unbound(.init(hadBond: try await core.removeBonds(identifier))))
    channel.close()
  }

  private func tag(_ identifier: TagIdentifier) -> ServedTag? {
    tags.first { $0.core.current($0.identifier) == $0.core.current(identifier) }
  }

  private func serve(_ identifier: TagIdentifier, _ adapter: String) throws(JacquardError) -> ServedTag {
    if let known = tag(identifier) { return known }
    let manager = try manager(forAdapter: adapter)
    let new = ServedTag(identifier, adapter: adapter, manager, lingering: options.lingering) { [weak self] in
      guard let self else { return }
      tags.removeAll { $0.identifier == identifier }
      // Its connection is about to end.
      loop.postHere { [weak self] in self?.closeUnused(adapter) }
      checkUse()
    }
    tags.append(new)
    return new
  }

  private func closeUnused(_ adapter: String) {
    guard !adapter.isEmpty, !tags.contains(where: { $0.core === managers[adapter]?.core }) else { return }
    managers.removeValue(forKey: adapter)?.close()
  }

  private func checkUse() {
    let hasPrograms = !tags.isEmpty || waiting > 0
    guard hasPrograms != hadPrograms else { return }
    hadPrograms = hasPrograms
    uses.send(hasPrograms)
  }

  /// Ends everything; programs see the end of their channels. The loop's owner closes and drains the loop next.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    for newcomer in newcomers { drop(newcomer.channel) }
    for tag in tags { tag.close() }
    for manager in managers.values { manager.close() }
  }
}

extension Array {
  /// The elements with the key that most elements have.
  fileprivate func largestGroup<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
    Dictionary(grouping: self, by: key).values.max { $0.count < $1.count } ?? []
  }
}

extension JacquardError {
  fileprivate static let noAdapterYet = JacquardError(
    .busUnavailable, "The service has no adapter yet.", advice: adviceWhileHealing)

  fileprivate static let tooManyConnections = JacquardError(
    .serviceUnavailable, "The service accepts no more connections of this program, its user, or all together.")
}
