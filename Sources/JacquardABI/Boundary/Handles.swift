import EventLoop
import Jacquard
import Synchronization

/// The object behind a handle. Called from any thread.
protocol HandleObject: AnyObject, Sendable {
  /// The last reference was released.
  func close()
}

/// Handles for the objects that callers hold. A handle is the index of a slot and its generation, stored as a pointer
/// value that is never dereferenced. A handle that was released or made up is therefore detected.
///
/// The objects belong to the process that created them. A child after fork() shares its parent's epoll set and sockets,
/// has none of its threads, and may find any of its locks held. So a child leaves its parent's table unchanged,
/// including its locks, and creates its own table for its first handle. A handle identifies the process that its table
/// belongs to.
enum Handles {
  private struct Slot {
    var object: (any HandleObject)?
    var references: UInt = 0
    var generation: UInt = 1
  }

  private struct Slots {
    var slots: [Slot] = []
    var free: [Int] = []
  }

  /// Never freed: objects of parent processes stay unchanged until the child ends.
  private final class Table: Sendable {
    let process = ProcessMark()
    /// The number of ancestor processes that have had a table.
    let ancestors: UInt
    let slots = Locked(Slots())

    init(ancestors: UInt) { self.ancestors = ancestors & ancestorMask }
  }

  private static let current = Atomic<Unmanaged<Table>?>(nil)

  /// The lowest bit of a handle is set, unlike in the address of any object.
  private static let indexBits: UInt = UInt.bitWidth == 64 ? 24 : 14
  private static let ancestorBits: UInt = UInt.bitWidth == 64 ? 7 : 3
  private static let ancestorMask: UInt = 1 << ancestorBits - 1
  private static let generationMask = UInt.max >> (indexBits + ancestorBits + 1)

  private static func handle(_ index: Int, _ generation: UInt, _ ancestors: UInt) -> OpaquePointer? {
    OpaquePointer(bitPattern: (generation << ancestorBits | ancestors) << (indexBits + 1) | UInt(index) << 1 | 1)
  }

  private static func ancestors(of handle: OpaquePointer) -> UInt {
    UInt(bitPattern: handle) >> (indexBits + 1) & ancestorMask
  }

  /// Nil if the handle is invalid.
  private static func index(of handle: OpaquePointer, in table: Slots) -> Int? {
    let bits = UInt(bitPattern: handle)
    let index = Int(bits >> 1 & (1 << indexBits - 1))
    guard bits & 1 == 1, index < table.slots.count, table.slots[index].object != nil,
      table.slots[index].generation == bits >> (indexBits + ancestorBits + 1)
    else { return nil }
    return index
  }

  /// The table of a handle; nil if no handle was ever created. It takes no lock to detect that the table belongs to
  /// another process.
  private static func table(of handle: OpaquePointer) throws -> Table? {
    guard let table = current.load(ordering: .acquiring)?.takeUnretainedValue() else { return nil }
    guard table.process.isCurrent, ancestors(of: handle) >= table.ancestors else {
      throw JacquardError(.forked, JacquardError.Code.forked.text)
    }
    return ancestors(of: handle) == table.ancestors ? table : nil
  }

  /// This process's table.
  private static func ownTable() -> Table {
    while true {
      let present = current.load(ordering: .acquiring)
      let table = present?.takeUnretainedValue()
      if let table, table.process.isCurrent { return table }
      let new = Unmanaged.passRetained(Table(ancestors: table.map { $0.ancestors + 1 } ?? 0))
      let (exchanged, _) = current.compareExchange(
        expected: present, desired: new, ordering: .acquiringAndReleasing)
      if exchanged { return new.takeUnretainedValue() }
      new.release()
    }
  }

  static let tooMany = JacquardError(.system, "The process has too many handles.")

  /// Creates a handle with one reference.
  static func issue(_ object: any HandleObject) throws -> OpaquePointer {
    guard let handle = add(object) else { throw tooMany }
    return handle
  }

  /// Creates a handle with one reference; nil if there are too many.
  static func add(_ object: any HandleObject) -> OpaquePointer? {
    let own = ownTable()
    return own.slots.withLock { table in
      let index = table.free.popLast() ?? table.slots.count
      if index == table.slots.count {
        guard index < 1 << Int(indexBits) else { return nil }
        table.slots.append(Slot())
      }
      table.slots[index].object = object
      table.slots[index].references = 1
      return handle(index, table.slots[index].generation, own.ancestors)
    }
  }

  /// Nil if the handle is invalid; throws if it belongs to another process.
  static func find<Object: HandleObject>(_ handle: OpaquePointer, as type: Object.Type) throws -> Object? {
    try table(of: handle)?.slots.withLock { table in
      guard let index = index(of: handle, in: table), let object = table.slots[index].object,
        ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type)
      else { return nil }
      // A conditional cast would search the runtime's tables in each call. All handle classes are final.
      return unsafeDowncast(object, to: type)
    }
  }

  /// Takes one more reference and returns the same handle, or nil.
  static func reference<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) -> OpaquePointer? {
    guard let handle, let own = try? table(of: handle) else { return nil }
    let isValid = own.slots.withLock { table in
      guard let index = index(of: handle, in: table), table.slots[index].object is Object else { return false }
      table.slots[index].references &+= 1
      return true
    }
    return isValid ? handle : nil
  }

  static func release<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) {
    guard let handle, (try? find(handle, as: type)) != nil else { return }
    release(handle)
  }

  static func release(_ handle: OpaquePointer?) {
    guard let handle, let own = try? table(of: handle) else { return }
    let last: (any HandleObject)? = own.slots.withLock { table in
      guard let index = index(of: handle, in: table) else { return nil }
      table.slots[index].references -= 1
      guard table.slots[index].references == 0 else { return nil }
      let object = table.slots[index].object
      table.slots[index].object = nil
      let next = (table.slots[index].generation &+ 1) & generationMask
      table.slots[index].generation = max(next, 1)
      table.free.append(index)
      return object
    }
    last?.close()
  }
}

/// The handle issued for an object: set once, may be read from any thread.
struct IssuedHandle: ~Copyable, Sendable {
  private let bits = Atomic<UInt>(0)

  /// Nil until it is issued.
  var pointer: OpaquePointer? { OpaquePointer(bitPattern: bits.load(ordering: .acquiring)) }

  func set(_ handle: OpaquePointer) { bits.store(UInt(bitPattern: handle), ordering: .releasing) }
}

/// The handle of the current object of a type. The last handle stays valid, though stale, until another object replaces
/// it or the owner ends.
final class LatestHandle<Object: AnyObject>: Sendable {
  private struct State {
    /// The object behind the handle; the handle retains it.
    var object: ObjectIdentifier?
    var handle: UInt?
    var isOver = false
  }

  private let state = Locked(State())

  /// Call on the loop.
  func handle(for object: Object, _ make: (Object) -> any HandleObject) -> OpaquePointer? {
    let id = ObjectIdentifier(object)
    if let known = state.withLock({ $0.object == id ? $0.handle : nil }) { return OpaquePointer(bitPattern: known) }
    let new = Handles.add(make(object)).map(UInt.init(bitPattern:))
    let superfluous: UInt? = state.withLock { state in
      guard !state.isOver else { return new }
      let old = state.handle
      state.object = id
      state.handle = new
      return old
    }
    release(superfluous)
    return state.withLock { $0.handle }.flatMap { OpaquePointer(bitPattern: $0) }
  }

  /// Call from any thread: creates no more handles and releases the last one.
  func end() {
    let last: UInt? = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.handle
    }
    release(last)
  }

  private func release(_ handle: UInt?) { Handles.release(handle.flatMap { OpaquePointer(bitPattern: $0) }) }
}
