import EventLoop
import Glibc
import TagStore

/// The tags that are bound to this machine, and those that are wanted at the next start: the contents of `state.json`
/// in this module's types.
final class KnownTags {
  let restoreID: String?
  /// Nil if nothing is stored.
  private let file: StateFile?
  private let loop: EventLoop
  private let log: Log
  /// Tags that are wanted but not yet stored as wanted: writing is tried again when they are connected, and when the
  /// manager is closed.
  private var unwritten: Set<TagIdentifier> = []
  private let recordChanges = Observers<Void>()
  private var watch: FileWatch?

  init(_ directory: String?, isKept: Bool = true, restoreID: String?, loop: EventLoop, log: Log) {
    self.restoreID = restoreID
    self.loop = loop
    self.log = log
    file = isKept ? StateFile(loop, StateDirectory(chosen: directory)) { log(.warning, .state, $0) } : nil
  }

  static var now: Int64 { Int64(time(nil)) }

  // MARK: Reading

  /// Finds a tag for connecting, which must work even if the state cannot be read.
  func lookUp(_ identifier: TagIdentifier) -> KnownTag? {
    guard let file else { return nil }
    do {
      return tag(identifier, in: try file.read())
    } catch {
      log(.warning, .state, error.message)
      return nil
    }
  }

  /// Whether the tag is no longer known; false if the state cannot be read.
  func isForgotten(_ identifier: TagIdentifier) -> Bool {
    guard let state = try? file?.read() else { return false }
    return tag(identifier, in: state) == nil
  }

  /// Whether the device has shown that it is a tag: a program of this user has read its serial number.
  func isProven(_ identifier: TagIdentifier) -> Bool {
    guard let state = try? file?.read() else { return false }
    return tag(identifier, in: state)?.serial.isEmpty == false
  }

  /// The known tag with this serial number, or whose number ends with it; nil unless there is exactly one.
  func only(withSerial serial: String) -> KnownTag? {
    guard serial.utf8.count >= Binding.shortestCode, let state = try? file?.read() else { return nil }
    let code = TagCode(text: serial)
    let tags = known(in: state).filter { !$0.serial.isEmpty && code.matches($0.serial) }
    return tags.count == 1 ? tags[0] : nil
  }

  /// The identifier in the tag's record; the same one if there is no record.
  func current(_ identifier: TagIdentifier) -> TagIdentifier { lookUp(identifier)?.identifier ?? identifier }

  /// The identifiers of the tag's record other than this one. BlueZ may have the tag under each of them, because it no
  /// longer resolves the tag's address when another program has removed the bond.
  func others(of identifier: TagIdentifier) -> [TagIdentifier] {
    guard let tag = (try? file?.read())?[tag: identifier] else { return [] }
    return ([tag.identifier] + tag.formerIdentifiers).compactMap { TagIdentifier(text: $0) }.filter { $0 != identifier }
  }

  func all() throws(JacquardError) -> [KnownTag] { known(in: try read()) }

  /// The tags to connect to, in the order in which they were wanted.
  func wanted() throws(JacquardError) -> [(TagIdentifier, KnownTag?)] {
    let state = try read()
    return state[wantedBy: restoreID].compactMap { TagIdentifier(text: $0) }.map { ($0, tag($0, in: state)) }
  }

  /// Creates no file if there is none.
  private func read() throws(JacquardError) -> StoredState {
    guard let file else { return StoredState() }
    do throws(StateError) {
      return try file.read()
    } catch {
      log(.warning, .state, error.message)
      throw JacquardError(error)
    }
  }

  private func known(in state: StoredState) -> [KnownTag] {
    let wanted = Set(state[wantedBy: restoreID])
    return state.tags.compactMap { stored in
      var tag = KnownTag(stored)
      tag?.isWanted = wanted.contains(stored.identifier)
      return tag
    }
  }

  private func tag(_ identifier: TagIdentifier, in state: StoredState) -> KnownTag? {
    state[tag: identifier].flatMap { stored in known(in: state).first { $0.identifier.text == stored.identifier } }
  }

  // MARK: Changes by any process

  /// Needs no timer, and watches nothing while no connection is interested. Where the file cannot be watched, because
  /// the user has too many watches, a change is seen at the next attempt.
  func observe(_ handler: @escaping () -> Void) -> Observers<Void>.Observation {
    if watch == nil { watch = file?.watch { [weak self] in self?.recordChanges.send(()) } }
    return recordChanges.add(handler)
  }

  func stopObserving(_ observation: Observers<Void>.Observation) {
    observation.cancel()
    guard recordChanges.isEmpty else { return }
    watch?.cancel()
    watch = nil
  }

  // MARK: Changing

  private func change<Answer>(
    replacesCorrupt: Bool = false, _ body: @escaping (inout StoredState) -> Answer,
    kept: @escaping (Answer) -> Void = { _ in }
  ) async throws(JacquardError) -> Answer {
    guard let file else { throw JacquardError(.closed, JacquardError.Code.closed.text) }
    do throws(StateError) {
      return try await file.change(replacesCorrupt: replacesCorrupt, body, kept: kept)
    } catch {
      throw JacquardError(error)
    }
  }

  /// A change whose result is not awaited.
  private func changeLater(_ body: @escaping (inout StoredState) -> Void, kept: @escaping () -> Void = {}) {
    guard file != nil else { return }
    loop.spawn { [self] in
      do throws(JacquardError) {
        try await change(body, kept: kept)
      } catch {
        if !error.isCancellation { log(.warning, .state, error.message) }
      }
    }
  }

  /// Binds or rebinds: values that `binding` does not set are kept.
  ///
  /// - Parameter former: the identifier that the program has used so far.
  /// - Parameter isWanted: evaluated just before the file is written.
  /// - Parameter kept: runs as soon as the file is written.
  func remember(
    _ info: TagInfo, formerly former: TagIdentifier, _ binding: Binding, while isWanted: @escaping () -> Bool,
    kept: @escaping () -> Void
  ) async throws(JacquardError) {
    let refusal: JacquardError? = try await change(
      replacesCorrupt: true,
      { state in
        guard isWanted() else { return .cancelled }
        var tag = state.record(of: info, former) ?? StoredTag()
        guard binding.isAllowed(by: tag.owner) else { return .otherOwner }
        tag.identifier = info.identifier.text
        tag.boundAt = Self.now
        if let owner = binding.owner { tag.owner = owner }
        if !binding.profile.isEmpty { tag.profile = .init(binding.profile) }
        tag.noteConnection(info, info.name == tag.name ? tag.replacedName : nil)
        state.replace(former, with: tag)
        return nil
      }, kept: { refusal in if refusal == nil { kept() } })
    if let refusal { throw refusal }
  }

  /// Updates the record of a connected tag, if the tag is known.
  ///
  /// - Parameter former: the identifier that the program has used so far.
  /// - Parameter replacedName: see `KnownTag`.
  func noteConnection(_ info: TagInfo, formerly former: TagIdentifier, replacedName: String?) {
    changeLater {
      guard var tag = $0.record(of: info, former) else { return }
      tag.identifier = info.identifier.text
      tag.noteConnection(info, replacedName)
      $0.replace(former, with: tag)
    }
    if unwritten.contains(info.identifier) { want(info.identifier, true) }
  }

  func noteName(_ identifier: TagIdentifier, _ name: String, replaces replacedName: String?) {
    changeLater {
      $0[tag: identifier]?.name = name
      $0[tag: identifier]?.replacedName = replacedName ?? ""
    }
  }

  func update(_ identifier: TagIdentifier, _ profile: [ProfileEntry]) async throws(JacquardError) {
    let isKnown = try await change { state in
      state[tag: identifier]?.profile = .init(profile)
      return state[tag: identifier] != nil
    }
    guard isKnown else { throw .unknownTag }
  }

  /// Returns whether the tag was known.
  func forget(_ identifier: TagIdentifier) async throws(JacquardError) -> Bool {
    let identifier = current(identifier)
    unwritten.remove(identifier)
    guard try read().mentions(identifier) else { return false }
    return try await change { state in
      defer { state.forget(identifier) }
      return state[tag: identifier] != nil
    }
  }

  // MARK: Wanted at the next start

  func want(_ identifier: TagIdentifier, _ isWanted: Bool) {
    guard let restoreID, file != nil else { return }
    if isWanted { unwritten.insert(identifier) } else { unwritten.remove(identifier) }
    changeLater({ $0.want(identifier, isWanted, by: restoreID) }, kept: { [self] in unwritten.remove(identifier) })
  }

  /// Writes which tags are wanted when the manager is closed. Waiting is impossible at that time.
  func close(noLongerWanted identifiers: Set<TagIdentifier>) {
    guard let restoreID, let file, !(identifiers.isEmpty && unwritten.isEmpty) else { return }
    do throws(StateError) {
      try file.changeNow { state in
        for identifier in unwritten { state.want(identifier, true, by: restoreID) }
        for identifier in identifiers { state.want(identifier, false, by: restoreID) }
      }
    } catch {
      log(.warning, .state, error.message)
    }
  }
}

extension StoredTag {
  fileprivate mutating func noteConnection(_ info: TagInfo, _ replacedName: String?) {
    address = info.address
    name = info.name
    self.replacedName = replacedName ?? ""
    if !info.serial.isEmpty { serial = info.serial }
    lastConnected = KnownTags.now
  }
}

extension StoredState {
  /// Its identity address and its serial number identify a tag: a tag whose address BlueZ has resolved meanwhile, or
  /// that has had another address since a reset, has no second record.
  fileprivate func record(of info: TagInfo, _ former: TagIdentifier) -> StoredTag? {
    if let tag = self[tag: info.identifier] { return tag }
    if let tag = self[tag: former], tag.serial.isEmpty || tag.serial == info.serial { return tag }
    return info.serial.isEmpty ? nil : tags.first { $0.serial == info.serial }
  }

  /// Gives the record another identifier. Identifiers that programs have stored remain valid.
  fileprivate mutating func replace(_ former: TagIdentifier, with new: StoredTag) {
    let old = tags.first { !new.serial.isEmpty && $0.serial == new.serial } ?? self[tag: former]
    var tag = new
    for identifier in [old?.identifier ?? "", former.text] where ![tag.identifier, ""].contains(identifier) {
      if !tag.formerIdentifiers.contains(identifier) { tag.formerIdentifiers.append(identifier) }
    }
    tag.formerIdentifiers.removeAll { $0 == tag.identifier }
    let place = tags.firstIndex { $0.identifier == tag.identifier || $0.identifier == old?.identifier }
    if let place { tags[place] = tag } else { tags.append(tag) }
    restorations = restorations.map { restoration in
      .with {
        $0.restoreID = restoration.restoreID
        $0.identifiers = restoration.identifiers.reduce(into: []) {
          let identifier = tag.formerIdentifiers.contains($1) ? tag.identifier : $1
          if !$0.contains(identifier) { $0.append(identifier) }
        }
      }
    }
  }

  private func index(of identifier: TagIdentifier) -> Int? {
    tags.firstIndex { $0.identifier == identifier.text }
      ?? tags.firstIndex { $0.formerIdentifiers.contains(identifier.text) }
  }

  /// The record that has or had this identifier.
  fileprivate subscript(tag identifier: TagIdentifier) -> StoredTag? {
    get { index(of: identifier).map { tags[$0] } }
    set {
      let index = index(of: identifier)
      switch (index, newValue) {
      case (let index?, let tag?): tags[index] = tag
      case (let index?, nil): tags.remove(at: index)
      case (nil, let tag?): tags.append(tag)
      case (nil, nil): break
      }
    }
  }

  fileprivate subscript(wantedBy restoreID: String?) -> [String] {
    restorations.first { $0.restoreID == restoreID }?.identifiers ?? []
  }

  fileprivate mutating func want(_ identifier: TagIdentifier, _ isWanted: Bool, by restoreID: String) {
    var identifiers = self[wantedBy: restoreID]
    guard identifiers.contains(identifier.text) != isWanted else { return }
    identifiers.removeAll { $0 == identifier.text }
    if isWanted { identifiers.append(identifier.text) }
    restorations.removeAll { $0.restoreID == restoreID }
    guard !identifiers.isEmpty else { return }
    restorations.append(
      .with {
        $0.restoreID = restoreID
        $0.identifiers = identifiers
      })
  }

  fileprivate mutating func forget(_ identifier: TagIdentifier) {
    self[tag: identifier] = nil
    for restoreID in restorations.map(\.restoreID) { want(identifier, false, by: restoreID) }
  }

  fileprivate func mentions(_ identifier: TagIdentifier) -> Bool {
    tags.contains { $0.identifier == identifier.text }
      || restorations.contains { $0.identifiers.contains(identifier.text) }
  }
}

extension JacquardError {
  static let unknownTag = JacquardError(
    .notFound, "No tag with this identifier is bound to this machine.",
    advice: "Look up the identifier in the list of known tags.")

  init(_ error: StateError) {
    guard error != .cancelled else {
      self = .cancelled
      return
    }
    self.init(.stateFile, error.message)
    systemErrno = error.code
    if case .corrupt = error {
      advice = "Repair the file, or bind the tags again, which begins a new file and keeps a copy of this one."
    }
  }
}
