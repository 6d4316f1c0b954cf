import EventLoop

/// What a handle stands for. Called from any thread.
protocol HandleObject: AnyObject {
  /// The last reference was given back.
  func close()
}

/// Tickets for the objects that callers hold. A handle is an index and the generation of its slot, shaped as a pointer
/// that is never followed: one that was given back, or made up, is recognised instead of dereferenced.
enum Handles {
  private struct Slot {
    var object: (any HandleObject)?
    var references: UInt = 0
    var generation: UInt = 1
  }

  private struct Table {
    var slots: [Slot] = []
    var free: [Int] = []
  }

  private static let table = Locked(Table())

  /// The lowest bit is set, which no object's address has.
  private static let indexBits: UInt = UInt.bitWidth == 64 ? 24 : 14
  private static let generationMask = UInt.max >> (indexBits + 1)

  private static func handle(_ index: Int, _ generation: UInt) -> OpaquePointer? {
    OpaquePointer(bitPattern: generation << (indexBits + 1) | UInt(index) << 1 | 1)
  }

  /// Nil when the handle stands for nothing.
  private static func index(of handle: OpaquePointer, in table: Table) -> Int? {
    let bits = UInt(bitPattern: handle)
    let index = Int(bits >> 1 & (1 << indexBits - 1))
    guard bits & 1 == 1, index < table.slots.count, table.slots[index].object != nil,
      table.slots[index].generation == bits >> (indexBits + 1)
    else { return nil }
    return index
  }

  /// A handle with one reference; nil when there are too many.
  static func add(_ object: any HandleObject) -> OpaquePointer? {
    table.withLock { table in
      let index = table.free.popLast() ?? table.slots.count
      if index == table.slots.count {
        guard index < 1 << Int(indexBits) else { return nil }
        table.slots.append(Slot())
      }
      table.slots[index].object = object
      table.slots[index].references = 1
      return handle(index, table.slots[index].generation)
    }
  }

  static func find<Object: HandleObject>(_ handle: OpaquePointer, as type: Object.Type) -> Object? {
    table.withLock { table in
      guard let index = index(of: handle, in: table), let object = table.slots[index].object,
        ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(type)
      else { return nil }
      // A conditional cast would search the runtime's tables in each call. The classes of handles are final.
      return unsafeDowncast(object, to: type)
    }
  }

  /// The same handle with one more reference, or nil.
  static func reference<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) -> OpaquePointer? {
    guard let handle else { return nil }
    return table.withLock { table in
      guard let index = index(of: handle, in: table), table.slots[index].object is Object else { return nil }
      table.slots[index].references &+= 1
      return handle
    }
  }

  static func release<Object: HandleObject>(_ handle: OpaquePointer?, as type: Object.Type) {
    guard let handle, find(handle, as: type) != nil else { return }
    release(handle)
  }

  static func release(_ handle: OpaquePointer?) {
    guard let handle else { return }
    let last: (any HandleObject)? = table.withLock { table in
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
