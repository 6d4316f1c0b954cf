/// The watched descriptors. A key consists of a slot and the slot's generation, so that readiness that the kernel
/// reported before a watch was cancelled cannot reach the next watch in that slot.
struct WatchTable {
  struct Key: Equatable {
    let slot: UInt32
    let generation: UInt32

    init(slot: UInt32, generation: UInt32) {
      self.slot = slot
      self.generation = generation
    }

    init(epollData data: UInt64) {
      slot = UInt32(truncatingIfNeeded: data)
      generation = UInt32(truncatingIfNeeded: data >> 32)
    }

    var epollData: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
  }

  private struct Slot {
    var generation: UInt32
    var watch: IOWatch?
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []

  /// The key of the next inserted watch.
  mutating func reserve() -> Key {
    if let slot = free.popLast() { return Key(slot: slot, generation: slots[Int(slot)].generation) }
    slots.append(Slot(generation: 0, watch: nil))
    return Key(slot: UInt32(slots.count - 1), generation: 0)
  }

  mutating func insert(_ watch: IOWatch) {
    slots[Int(watch.key.slot)].watch = watch
  }

  mutating func release(_ key: Key) {
    slots[Int(key.slot)].watch = nil
    slots[Int(key.slot)].generation &+= 1
    free.append(key.slot)
  }

  subscript(key: Key) -> IOWatch? {
    guard key.slot < slots.count, slots[Int(key.slot)].generation == key.generation else { return nil }
    return slots[Int(key.slot)].watch
  }
}
