import EventLoop
import Glibc
import Jacquard
import Synchronization

/// What a handle stands for. Called from any thread.
protocol HandleObject: AnyObject {
  /// The last reference was given back.
  func close()
}

/// Tickets for the objects that callers hold. A handle is an index and the generation of its slot, shaped as a pointer
/// that is never followed: one that was given back, or made up, is recognised instead of dereferenced.
///
/// The objects belong to the process that made them: a child after fork() shares its parent's epoll set and sockets, has
/// none of its threads, and may find any of its locks taken. So a child leaves its parent's table as it is, locks
/// included, and makes one of its own for its first handle. A handle knows to which process's table it belongs.
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

  /// Never freed: a child's parents' objects stay as they are until the child ends.
  private final class Table {
    let process = getpid()
    /// How many processes before this one, each the child of the last, have had a table.
    let ancestors: UInt
    let slots = Locked(Slots())

    init(ancestors: UInt) { self.ancestors = ancestors & ancestorMask }
  }

  private static let current = Atomic<Unmanaged<Table>?>(nil)

  /// The lowest bit is set, which no object's address has.
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

  /// Nil when the handle stands for nothing.
  private static func index(of handle: OpaquePointer, in table: Slots) -> Int? {
    let bits = UInt(bitPattern: handle)
    let index = Int(bits >> 1 & (1 << indexBits - 1))
    guard bits & 1 == 1, index < table.slots.count, table.slots[index].object != nil,
      table.slots[index].generation == bits >> (indexBits + ancestorBits + 1)
    else { return nil }
    return index
  }

  /// The table that a handle is of, if it is of any: nil when no handle was ever made. Takes no lock to find out that it
  /// is another process's.
  private static func table(of handle: OpaquePointer) throws -> Table? {
    guard let table = current.load(ordering: .acquiring)?.takeUnretainedValue() else { return nil }
    guard table.process == getpid(), ancestors(of: handle) >= table.ancestors else {
      throw JacquardError(.forked, JacquardError.Code.forked.text)
    }
    return ancestors(of: handle) == table.ancestors ? table : nil
  }

  /// This process's table.
  private static func ownTable() -> Table {
    while true {
      let present = current.load(ordering: .acquiring)
      let table = present?.takeUnretainedValue()
      if let table, table.process == getpid() { return table }
      let new = Unmanaged.passRetained(Table(ancestors: table.map { $0.ancestors + 1 } ?? 0))
      let (exchanged, _) = current.compareExchange(
        expected: present, desired: new, ordering: .acquiringAndReleasing)
      if exchanged { return new.takeUnretainedValue() }
      new.release()
    }
  }

  static let tooMany = JacquardError(.system, "There are too many handles.")

  /// A handle with one reference.
  static func issue(_ object: any HandleObject) throws -> OpaquePointer {
    guard let handle = add(object) else { throw tooMany }
    return handle
  }

  /// A handle with one reference; nil when there are too many.
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

  /// Nil when the handle stands for nothing; throws when it is another process's.
  static func find<Object: HandleObject>(_ handle: OpaquePointer, as type: Object.Type) throws -> Object? {
    try table(of: handle)?.slots.withLock { table in
      guard let index = index(of: handle, in: table), let object = table.slots[index].object,
        ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type)
      else { return nil }
      // A conditional cast would search the runtime's tables in each call. The classes of handles are final.
      return unsafeDowncast(object, to: type)
    }
  }

  /// The same handle with one more reference, or nil.
  static func reference<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) -> OpaquePointer? {
    guard let handle, let own = try? table(of: handle) else { return nil }
    return own.slots.withLock { table in
      guard let index = index(of: handle, in: table), table.slots[index].object is Object else { return nil }
      table.slots[index].references &+= 1
      return handle
    }
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
