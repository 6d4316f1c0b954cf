/// What a host records for its successor, in a slot of the lock file. Each host has its own slot, so a host that was
/// stopped while it was writing changes nothing of its successor's.
///
///     0  "JQS", version   4  process   8  epoch   16  last request ID   20  flags
///     24  0               28  FNV-1a of the bytes before
///
/// Flags: 1 a packet is being written, 2 no response yet, 4 exclusive, 8 the tag is set up, 16 the packet is a single value.
struct HostRecord: Equatable {
  static let size = 32
  /// After that many successors, a slot is used again.
  static let slotCount = 64
  private static let signature: UInt32 = 0x0053_514a
  private static let version: UInt32 = 1
  /// Epochs are offsets of locks, too.
  static let highestEpoch: UInt64 = 1 << 62

  var epoch: UInt64
  var process: Int32
  var lastID: UInt32 = 0
  var isWriting = false
  /// bluetoothd gets the whole packet at once.
  var isSingleValue = false
  /// The tag has not responded to the last request.
  var isAwaiting = false
  /// It refuses to share the tag, even while it hangs.
  var isExclusive = false
  /// The tag is set up on its link, and has reported what it reports once for each link.
  var isSetUp = false

  static func offset(_ epoch: UInt64) -> Int { Int(epoch % UInt64(slotCount)) * size }

  enum Slot: Equatable {
    case empty
    case record(HostRecord)
    /// Written by a newer version.
    case newer
    case damaged
  }

  /// - Parameter slot: of `size` bytes.
  static func read(_ slot: UnsafeRawBufferPointer) -> Slot {
    guard slot.count == size else { return .damaged }
    func word(_ offset: Int) -> UInt32 {
      UInt32(littleEndian: slot.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let first = word(0)
    let epoch = UInt64(word(8)) | UInt64(word(12)) << 32
    if first == 0, epoch == 0 { return slot.allSatisfy { $0 == 0 } ? .empty : .damaged }
    guard first & 0xff_ffff == signature else { return .damaged }
    guard first >> 24 <= version else { return .newer }
    guard first >> 24 == version, word(28) == FNV.hash32(slot.prefix(28)), epoch > 0, epoch <= highestEpoch else {
      return .damaged
    }
    func flag(_ value: UInt32) -> Bool { word(20) & value != 0 }
    return .record(
      HostRecord(
        epoch: epoch, process: Int32(bitPattern: word(4)), lastID: word(16), isWriting: flag(1),
        isSingleValue: flag(16), isAwaiting: flag(2), isExclusive: flag(4), isSetUp: flag(8)))
  }

  /// - Parameter slot: of `size` bytes.
  func write(to slot: UnsafeMutableRawBufferPointer) {
    func put(_ word: UInt32, _ offset: Int) {
      slot.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    put(Self.signature | Self.version << 24, 0)
    put(UInt32(bitPattern: process), 4)
    put(UInt32(truncatingIfNeeded: epoch), 8)
    put(UInt32(truncatingIfNeeded: epoch >> 32), 12)
    put(lastID, 16)
    func flag(_ value: UInt32, _ isSet: Bool) -> UInt32 { isSet ? value : 0 }
    let packet = flag(1, isWriting) | flag(16, isSingleValue) | flag(2, isAwaiting)
    put(packet | flag(4, isExclusive) | flag(8, isSetUp), 20)
    put(0, 24)
    put(FNV.hash32(slot.prefix(28)), 28)
  }
}
